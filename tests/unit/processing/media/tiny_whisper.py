"""A Whisper model in faster-whisper's own form, two megabytes, that says the same words to any speech.

Its layers are all zero, so what comes out depends on the position alone: each has one token that wins.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

WIDTH, HEADS, MELS, AUDIO_POSITIONS, TEXT_POSITIONS = 64, 1, 80, 1500, 448
STAMPS = 1501  # every 20 ms of 30 seconds
SPECIAL = ("<|endoftext|>", "<|startoftranscript|>", "<|translate|>", "<|transcribe|>",
           "<|startoflm|>", "<|startofprev|>", "<|nospeech|>", "<|notimestamps|>")  # fmt: skip


def make_tiny_whisper(folder: Path, said: Sequence[str], *, seconds: float) -> Path:
    """Says these words in the first `seconds` of each window."""
    import ctranslate2
    import numpy

    words = [f"Ġ{word}" for word in said]  # so is a word with a blank before it written
    tokens = _vocabulary(words)
    line = ["<|0.00|>", *words, f"<|{seconds:.2f}|>"]
    spec = ctranslate2.specs.WhisperSpec(1, HEADS, 1, HEADS)
    _fill(spec, len(tokens), numpy)
    spec.decoder.position_encodings.encodings = numpy.eye(TEXT_POSITIONS, WIDTH, dtype=numpy.float32)
    for place in range(WIDTH):
        token = line[place] if place < len(line) else "<|endoftext|>"
        spec.decoder.projection.weight[tokens.index(token), place] = 10.0
    spec.register_vocabulary(tokens)
    spec.config.lang_ids = []  # so few tokens mean an English model
    spec.config.suppress_ids, spec.config.suppress_ids_begin = [], []
    spec.config.alignment_heads = [(0, 0)]
    spec.validate()
    folder.mkdir(parents=True, exist_ok=True)
    spec.save(str(folder))
    (folder / "tokenizer.json").write_text(_tokenizer(tokens))
    return folder


def _fill(spec: Any, vocabulary: int, numpy: Any) -> None:
    def zeros(*shape: int) -> Any:
        return numpy.zeros(shape, dtype=numpy.float32)

    def linear(place: Any, rows: int, columns: int) -> None:
        place.weight, place.bias = zeros(rows, columns), zeros(rows)

    def norm(place: Any) -> None:
        place.gamma, place.beta = numpy.ones(WIDTH, dtype=numpy.float32), zeros(WIDTH)

    def attention(place: Any, *parts: int) -> None:
        norm(place.layer_norm)
        for one, rows in zip(place.linear, parts, strict=True):
            linear(one, rows, WIDTH)

    def feed_forward(place: Any) -> None:
        norm(place.layer_norm)
        linear(place.linear_0, 2 * WIDTH, WIDTH)
        linear(place.linear_1, WIDTH, 2 * WIDTH)

    encoder, decoder = spec.encoder, spec.decoder
    for convolution, channels in ((encoder.conv1, MELS), (encoder.conv2, WIDTH)):
        convolution.weight, convolution.bias = zeros(WIDTH, channels, 3), zeros(WIDTH)
    encoder.position_encodings.encodings = zeros(AUDIO_POSITIONS, WIDTH)
    norm(encoder.layer_norm)
    attention(encoder.layer[0].self_attention, 3 * WIDTH, WIDTH)
    feed_forward(encoder.layer[0].ffn)
    decoder.embeddings.weight = zeros(vocabulary, WIDTH)
    linear(decoder.projection, vocabulary, WIDTH)
    norm(decoder.layer_norm)
    attention(decoder.layer[0].self_attention, 3 * WIDTH, WIDTH)
    attention(decoder.layer[0].attention, WIDTH, 2 * WIDTH, WIDTH)
    feed_forward(decoder.layer[0].ffn)


def _vocabulary(words: Sequence[str]) -> list[str]:
    stamps = [f"<|{number * 0.02:.2f}|>" for number in range(STAMPS)]
    return [*(_letter(byte) for byte in range(256)), *words, *SPECIAL, *stamps]


def _letter(byte: int) -> str:
    """As byte-level tokenizers write a byte: those that cannot be seen are moved behind the first 256."""
    seen = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [one for one in range(256) if one not in seen]
    return chr(byte) if byte in seen else chr(256 + hidden.index(byte))


def _tokenizer(tokens: Sequence[str]) -> str:
    form = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    added = [
        {"id": number, "content": token, "special": True, "single_word": False, "lstrip": False,
         "rstrip": False, "normalized": False}
        for number, token in enumerate(tokens) if token.startswith("<|")
    ]  # fmt: skip
    vocabulary = {token: number for number, token in enumerate(tokens) if not token.startswith("<|")}
    return json.dumps({
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": added, "normalizer": None,
        "pre_tokenizer": form, "post_processor": None, "decoder": form,
        "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": "",
                  "end_of_word_suffix": "", "fuse_unk": False, "vocab": vocabulary, "merges": []},
    })  # fmt: skip
