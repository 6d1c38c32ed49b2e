"""The job type `imageocr`: formats, pages, limits and damaged files."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from pydantic import ValidationError

from common.errors import LlmNotConfigured, UnsupportedFile
from common.processing.base import Context, Limits, Result
from common.processing.image.handler import handle
from common.processing.image.parameters import ImageParameters
from common.processing.language_model import configured_model
from common.settings import load_settings
from tests.servers.openai_server import OpenAiServer
from tests.unit.processing.contexts import Desk
from tests.unit.processing.pictures import LETTER, draw_page
from tests.unit.shared_files import FIXTURES, needs_shared

SMALL = (1000, 420)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "desk")


def run(path: Path, context: Context, /, **options: Any) -> Result:
    return handle(ImageParameters(file_path=str(path), **options), context)


def words(text: str) -> list[str]:
    return text.split()


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("a.jpg", "JPEG"),
        ("a.png", "PNG"),
        ("a.tif", "TIFF"),
        ("a.webp", "WEBP"),
        ("a.bmp", "BMP"),
        ("a", "PNG"),
    ],
)
def test_every_format_is_read(tmp_path: Path, desk: Desk, name: str, form: str) -> None:
    path = tmp_path / name
    draw_page(LETTER[:3], size=SMALL).save(path, form, **({"quality": 95} if form != "TIFF" else {}))
    context = desk.context()
    result = run(path, context, language="en")
    assert words(context.files.read("pages/page_001.txt").decode()) == words(" ".join(LETTER[:3]))
    assert result.page_texts == ("pages/page_001.txt",)
    assert result.metadata["ocr_confidence"] > 80
    assert result.markdown_file == "a.md"
    assert LETTER[0] in result.markdown


def test_heic_is_read_where_its_decoder_is_installed(tmp_path: Path, desk: Desk) -> None:
    pillow_heif = pytest.importorskip("pillow_heif", reason="no decoder for HEIC is installed")
    path = tmp_path / "photo.heic"
    pillow_heif.from_pillow(draw_page(LETTER[:3], size=SMALL)).save(path, quality=95)
    assert LETTER[1] in run(path, desk.context(), language="en").markdown


def test_a_tiff_has_many_pages(tmp_path: Path, desk: Desk) -> None:
    path = tmp_path / "scan.tiff"
    pages = [draw_page((f"This is sheet number {number}", *LETTER[1:2]), size=SMALL) for number in (1, 2, 3)]
    pages[0].save(path, save_all=True, append_images=pages[1:], compression="tiff_lzw", dpi=(150, 150))
    context = desk.context()
    result = run(path, context, language="en")
    assert len(result.page_texts) == 3
    for number in (1, 2, 3):
        assert f"sheet number {number}" in context.files.read(f"pages/page_{number:03}.txt").decode()
    assert run(path, desk.context(), language="en").is_from_cache


def test_an_animation_is_its_first_picture(tmp_path: Path, desk: Desk) -> None:
    path = tmp_path / "moving.gif"
    frames = [draw_page(LETTER[:2], size=SMALL), Image.new("RGB", SMALL)]
    frames[0].save(path, save_all=True, append_images=frames[1:])
    assert run(path, desk.context()).metadata["pages"] == 1


def test_too_many_pixels_are_refused_before_they_are_decoded(tmp_path: Path) -> None:
    path = tmp_path / "bomb.png"
    path.write_bytes(png_that_claims(60_000, 60_000))
    desk = Desk(tmp_path / "desk", limits=Limits(image_pixels=1_000_000))
    with pytest.raises(UnsupportedFile, match="pixels: expected at most 1000000"):
        run(path, desk.context())


def test_the_limit_is_ours_and_not_the_librarys(tmp_path: Path) -> None:
    path = tmp_path / "wide.png"
    Image.new("1", (1001, 1000)).save(path)
    with pytest.raises(UnsupportedFile, match="at most 1000000"):
        run(path, Desk(tmp_path / "a", limits=Limits(image_pixels=1_000_000)).context())
    assert run(path, Desk(tmp_path / "b", limits=Limits(image_pixels=1_001_000)).context()).markdown == "\n"


def test_too_many_pages_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "scan.tiff"
    pages = [Image.new("L", (20, 20)) for _ in range(4)]
    pages[0].save(path, save_all=True, append_images=pages[1:])
    with pytest.raises(UnsupportedFile, match="more than 3 pages"):
        run(path, Desk(tmp_path / "desk", limits=Limits(pages=3)).context())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"%PDF-1.7\n", "application/pdf"),
        (b"just words", "text/plain"),
        (b"\x89PNG\r\n\x1a\n", "damaged"),
        (b"\xff\xd8\xff\xe0" + b"\x00" * 40, "damaged"),
        (b"II*\x00\x08\x00\x00\x00\xff\xff", "damaged"),
    ],
)
def test_what_is_no_sound_picture_is_refused(
    tmp_path: Path, desk: Desk, content: bytes, message: str
) -> None:
    path = tmp_path / "picture.png"
    path.write_bytes(content)
    with pytest.raises(UnsupportedFile, match=message):
        run(path, desk.context())


def test_a_truncated_picture_is_refused(tmp_path: Path, desk: Desk) -> None:
    path = tmp_path / "cut.jpg"
    draw_page(size=SMALL).save(path, "JPEG")
    path.write_bytes(path.read_bytes()[:4000])
    with pytest.raises(UnsupportedFile, match="damaged"):
        run(path, desk.context())


def test_the_model_reads_pictures_too(tmp_path: Path) -> None:
    path = tmp_path / "photo.jpg"
    draw_page(LETTER[:2], size=SMALL).save(path, "JPEG", quality=95)
    with OpenAiServer(answer=lambda _: "# What the model saw") as server:
        with configured_model(load_settings(server.environment())) as model:
            desk = Desk(tmp_path / "desk", model=model)
            alone = run(path, desk.context(), extraction_method="llm")
            both = run(path, desk.context(), extraction_method="llm_and_ocr", language="en")
        assert alone.markdown == both.markdown == "# What the model saw\n"
        assert [len(chat.pictures) for chat in server.chats()] == [1, 1]
        assert LETTER[0] not in server.chats()[0].user
        assert LETTER[0] in server.chats()[1].user
        assert both.metadata["ocr_confidence"] > 80


def test_without_a_model_its_methods_are_refused(tmp_path: Path, desk: Desk) -> None:
    with pytest.raises(LlmNotConfigured):
        run(tmp_path / "none.png", desk.context(), extraction_method="llm")


@pytest.mark.parametrize("method", ["native", "both", "auto", "preview"])
def test_methods_that_need_a_text_layer_are_not_offered(method: str) -> None:
    with pytest.raises(ValidationError):
        ImageParameters.model_validate({"url": "https://example.org/a.png", "extraction_method": method})


@needs_shared
def test_a_white_title_on_a_coloured_band_is_the_heading(desk: Desk) -> None:
    result = run(FIXTURES / "scans" / "folie_foto_de.png", desk.context(), language="de")
    assert result.markdown.startswith("# Warum Papier überlebt\n")
    assert result.warnings == ()


def png_that_claims(width: int, height: int) -> bytes:
    """A few bytes that would decode to gigabytes."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(b"\0" * 1000)), (b"IEND", b"")]
    parts = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)
