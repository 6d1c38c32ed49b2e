"""Cold start: every function beside a hello world, loaded by the framework and served as it is deployed.

Processor time is compared, not the clock: a neighbour on the machine costs a process time, but no work.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from infra.local.ports import HOST, free_ports
from infra.local.template import function_source
from tests.bench.figures import Curve, Part, Table, at_most
from tests.bench.processes import ROOT, cpu_seconds, descendants, memory_mb
from tests.servers.mongo import MongoServer

BARE = ("hello", "libraries")  # the second imports pydantic and pymongo: nearer to the first ours cannot be
API = ("enqueue", "status", "manage", "download", "monitor")
OTHERS = ("session", "process", "notify", "sweep")
LOAD = """import sys; from functions_framework import create_app; create_app(sys.argv[1], sys.argv[2])
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))"""
ANSWER_SECONDS = 60.0
TIMES_HELLO = 1.5


@dataclass(frozen=True, kw_only=True)
class Sizes:
    rounds: int
    functions: tuple[str, ...] = API + OTHERS


QUICK = Sizes(rounds=2, functions=API)
FULL = Sizes(rounds=5)


@dataclass(frozen=True, kw_only=True)
class Start:
    load_ms: float  # processor time until the function is loaded
    load_mb: float  # the most it held by then
    answer_ms: float  # processor time until its server has given the first answer
    answer_mb: float


def measure(sizes: Sizes) -> Part:
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        server = MongoServer(Path(folder))
        server.start()
        try:
            found = _starts(sizes, os.environ | {"MONGODB_URI": server.uri, "PYTHONPATH": str(ROOT)})
        finally:
            server.stop()
    hello = found["hello"]
    rows = [
        (name, start.load_ms, _times(start.load_ms, hello.load_ms), start.load_mb,
         start.answer_ms, _times(start.answer_ms, hello.answer_ms), start.answer_mb)
        for name, start in found.items()
    ]  # fmt: skip
    table = Table(
        name="A function's start beside a hello world's",
        head=(
            "function", "load, CPU ms", "× hello", "memory MB",
            "first answer, CPU ms", "× hello, answer", "memory MB, answer",
        ),
        rows=rows,
        note="*load*: import and `create_app`. *first answer*: from the start of `functions-framework` with "
        "its server to the first answer; ours has read its settings and prepared its clients by then. "
        "*libraries* is a hello world that imports pydantic and pymongo, which every function of ours needs.",
        curve=Curve(file="start.png", over="function", values=("first answer, CPU ms",), unit="CPU ms"),
    )  # fmt: skip
    ours = [start for name, start in found.items() if name in API]
    worst = max(_times(start.load_ms, hello.load_ms) for start in ours)
    worst_answer = max(_times(start.answer_ms, hello.answer_ms) for start in ours)
    return Part(
        name="Cold start",
        tables=(table,),
        targets=(
            at_most("load of the slowest API function, hello world = 1", worst, TIMES_HELLO),
            at_most("first answer of the slowest API function, hello world = 1", worst_answer, TIMES_HELLO),
        ),
    )


def _starts(sizes: Sizes, environment: dict[str, str]) -> dict[str, Start]:
    """Each round starts them all once, so that a busy minute of the machine meets all of them."""
    names = (*BARE, *sizes.functions)
    rounds = [{name: _start(name, environment) for name in names} for _ in range(sizes.rounds)]
    return {name: _middle([one[name] for one in rounds]) for name in names}


def _start(name: str, environment: dict[str, str]) -> Start:
    load_ms, load_mb = _load(name, environment)
    answer_ms, answer_mb = _first_answer(name, environment)
    return Start(load_ms=load_ms, load_mb=load_mb, answer_ms=answer_ms, answer_mb=answer_mb)


def _load(name: str, environment: dict[str, str]) -> tuple[float, float]:
    command = [sys.executable, "-c", LOAD, name, str(_source(name))]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used * 1000, int(done.stdout) / 1024


def _first_answer(name: str, environment: dict[str, str]) -> tuple[float, float]:
    (port,) = free_ports(1)
    command = [
        str(Path(sys.executable).with_name("functions-framework")),
        "--target", name, "--source", str(_source(name)), "--host", HOST, "--port", str(port),
    ]  # fmt: skip
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _await_answer(f"http://{HOST}:{port}/", process)
        all_of_it = [process.pid, *descendants(process.pid)]
        return cpu_seconds(all_of_it) * 1000, memory_mb(all_of_it)
    finally:
        process.terminate()
        process.wait()


def _await_answer(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + ANSWER_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            urllib.request.urlopen(url, timeout=ANSWER_SECONDS).close()  # noqa: S310 - loopback
        except urllib.error.HTTPError as error:  # an answer all the same
            error.close()
            return
        except OSError:
            time.sleep(0.01)
        else:
            return
    raise RuntimeError(f"expected an answer at {url}, found none")


def _source(name: str) -> Path:
    return Path(__file__).parent / name / "main.py" if name in BARE else function_source(name)


def _middle(starts: list[Start]) -> Start:
    return Start(
        load_ms=round(median(start.load_ms for start in starts)),
        load_mb=round(median(start.load_mb for start in starts)),
        answer_ms=round(median(start.answer_ms for start in starts)),
        answer_mb=round(median(start.answer_mb for start in starts)),
    )


def _times(value: float, base: float) -> float:
    return round(value / base, 2)
