"""Whatever bytes come in: a document or one of our errors comes out, and nothing else."""

from __future__ import annotations

import io
import random
import tempfile
import zipfile
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from PIL import Image

from common.client.convert import convert
from common.media_type import sniff
from common.settings import load_settings
from tests.unit.processing.documents import scanned_pdf, text_pdf
from tests.unit.processing.office.samples import open_text, presentation, text_document, workbook

KNOWN = {None, "UNSUPPORTED_FILE", "ENCRYPTED_FILE"}
OPTIONS = load_settings({})
SHORT = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))

Maker = Callable[[Path], object]


def _picture(form: str) -> Maker:
    def make(path: Path) -> None:
        pages = [Image.effect_noise((60, 40), 80) for _ in range(2)]
        options = {"save_all": True, "append_images": pages[1:]} if form == "TIFF" else {}
        pages[0].save(path, form, **options)

    return make


SAMPLES: dict[str, Maker] = {
    "text.pdf": lambda path: text_pdf(path, ["Words on a page.", "And on another."]),
    "scan.pdf": lambda path: scanned_pdf(path, [["Words"]]),
    "deck.pptx": presentation,
    "text.docx": text_document,
    "book.xlsx": workbook,
    "text.odt": lambda path: open_text(path, "<text:p>Words</text:p>"),
    "photo.jpg": _picture("JPEG"),
    "photo.png": _picture("PNG"),
    "scan.tiff": _picture("TIFF"),
    "photo.webp": _picture("WEBP"),
    "photo.gif": _picture("GIF"),
    "photo.bmp": _picture("BMP"),
}


@lru_cache
def sample(name: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        SAMPLES[name](path)
        return path.read_bytes()


def outcome(name: str, content: bytes, **options: str) -> str | None:
    """The code of the error, if there is one; anything but our own errors is raised."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        done = convert(path, "result", Path(folder), dict(options), OPTIONS)
        return done.error["code"] if done.error else None


@pytest.mark.parametrize("name", SAMPLES)
@SHORT
@given(seed=some.integers(0, 2**32), changes=some.integers(1, 40), cut=some.booleans())
def test_a_damaged_file_is_read_or_refused(name: str, seed: int, changes: int, cut: bool) -> None:
    content = bytearray(sample(name))
    chance = random.Random(seed)
    for _ in range(changes):
        content[chance.randrange(len(content))] = chance.randrange(256)
    if cut:
        del content[chance.randrange(len(content)) :]
    assert outcome(name, bytes(content)) in KNOWN


@pytest.mark.parametrize("name", ["deck.pptx", "text.docx", "book.xlsx", "text.odt"])
@SHORT
@given(seed=some.integers(0, 2**32), changes=some.integers(1, 20))
def test_a_package_with_damaged_parts_is_read_or_refused(name: str, seed: int, changes: int) -> None:
    """The container is sound and what is in it is not: this reaches the readers themselves."""
    chance = random.Random(seed)
    with zipfile.ZipFile(io.BytesIO(sample(name))) as package:
        parts = {entry: bytearray(package.read(entry)) for entry in package.namelist()}
    victims = [
        entry for entry, part in parts.items() if part and entry not in ("mimetype", "[Content_Types].xml")
    ]
    for _ in range(changes):
        part = parts[chance.choice(victims)]
        start = chance.randrange(len(part))
        part[start : start + chance.randrange(1, 30)] = chance.randbytes(chance.randrange(3))
        part += b" "
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as package:
        for entry, part in parts.items():
            package.writestr(entry, bytes(part))
    assert outcome(name, target.getvalue()) in KNOWN


@SHORT
@given(content=some.binary(max_size=3000), head=some.sampled_from([b"", *map(sample, SAMPLES)]))
def test_any_bytes_are_named_and_refused(content: bytes, head: bytes) -> None:
    both = head[: len(content) % 64] + content
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(both)
        assert "/" in sniff(path)
    assert outcome("file", both) in KNOWN


@pytest.mark.parametrize("method", ["preview", "auto"])
@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=some.integers(0, 2**32))
def test_damaged_pages_are_drawn_or_refused(method: str, seed: int) -> None:
    content = bytearray(sample("scan.pdf"))
    chance = random.Random(seed)
    for _ in range(30):
        content[chance.randrange(len(content))] = chance.randrange(256)
    assert outcome("scan.pdf", bytes(content), extraction_method=method) in KNOWN
