"""P40: whatever a source calls its file, the name we use is harmless."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.outbound.headers import file_name, media_type


@pytest.mark.parametrize(
    ("disposition", "url", "name"),
    [
        ('attachment; filename="a.pdf"', "http://x/b.pdf", "a.pdf"),
        ("attachment; filename=a.pdf", "http://x/b.pdf", "a.pdf"),
        ("attachment; filename*=UTF-8''%C3%A4%20b.pdf", "http://x/b.pdf", "ä b.pdf"),
        ("inline", "http://x/slides/talk%201.pdf?x=y.txt", "talk 1.pdf"),
        ("", "http://x/", "download"),
        ("", "http://x", "download"),
        ('attachment; filename="../../etc/passwd"', "http://x/", "passwd"),
        ('attachment; filename="..\\\\..\\\\a.exe"', "http://x/", "a.exe"),
        ('attachment; filename=".."', "http://x/ok.pdf", "ok.pdf"),
        ("", "http://x/%2e%2e%2f%2e%2e%2fetc%2fpasswd", "passwd"),
        ("", "http://x/a%0d%0ab.pdf", "a__b.pdf"),
        ('attachment; filename="a\u202efdp.exe"', "http://x/", "a_fdp.exe"),
        ('attachment; filename=""', "http://x/b.pdf", "b.pdf"),
    ],
)
def test_a_file_name_is_the_last_part_and_harmless(disposition: str, url: str, name: str) -> None:
    assert file_name({"content-disposition": disposition}, url) == name


def test_a_long_name_keeps_its_ending() -> None:
    name = file_name({}, "http://x/" + "a" * 500 + ".pdf")

    assert len(name) < 160
    assert name.endswith("a.pdf")


@given(disposition=st.text(), path=st.text())
def test_any_header_gives_a_usable_name(disposition: str, path: str) -> None:
    for header in (
        disposition,
        f'attachment; filename="{disposition}"',
        f"a; filename*=utf-8''{disposition}",
    ):
        name = file_name(
            {"content-disposition": header}, "http://x/" + path.replace("[", "").replace("]", "")
        )
        assert name
        assert not set(name) & set('/\\\r\n\0"')
        assert name not in (".", "..")
        assert len(name.encode("utf-8", "replace")) <= 700


@pytest.mark.parametrize(
    ("header", "expected"), [("Text/HTML; charset=utf-8", "text/html"), ("", ""), (";", "")]
)
def test_a_media_type_is_read_without_its_parameters(header: str, expected: str) -> None:
    assert media_type({"content-type": header}) == expected
