from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from common.errors import TemplateError, UnsupportedFile
from common.processing.base import Result
from common.processing.transform.handler import handle
from common.processing.transform.model import OpenAiModel
from common.processing.transform.parameters import TransformerParameters
from tests.servers.openai_server import OpenAiServer
from tests.servers.site import site
from tests.unit.processing.desk import Desk
from tests.unit.shared_files import FIXTURES, needs_shared

INLINE = "---\ntopics: {{topics|List of keywords}}\nwho: {{author}}\n---\n# {{title}}\n\n{{text}}\n"


def run(desk: Desk, *, model: OpenAiModel | None = None, **parameters: Any) -> Result:
    return handle(TransformerParameters.model_validate(parameters), desk.context(model=model))


def test_a_text_and_an_inline_template_become_markdown_and_data(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    with OpenAiServer() as server:
        model = OpenAiModel(name="m", base_url=server.base_url)
        result = run(
            desk, model=model, text="Some words.", template_content=INLINE, filename="../my note.md",
            context={"author": "Ada", "title": "A: title"},
        )  # fmt: skip
    assert result.structured_data == {"topics": ["topics one", "topics two"]}
    assert result.markdown == (
        "---\ntopics:\n- topics one\n- topics two\nwho: Ada\n---\n\n# A: title\n\nSome words.\n"
    )
    assert result.markdown_file == "my_note.md"
    assert desk.files.read("my_note.md").decode() == result.markdown
    assert [call["purpose"] for call in result.llm_requests] == ["structured"]


def test_an_unknown_field_is_refused_although_the_template_parses(tmp_path: Path) -> None:
    with pytest.raises(TemplateError, match="unknown field 'autor'"):
        run(Desk(tmp_path), text="x", template_content="{{autor}}")


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        (
            "page.html",
            b"<!doctype html><main><h1>Title</h1><p>Words of a page.</p></main>",
            "Words of a page.",
        ),
        ("captions.vtt", b"WEBVTT\n\n00:01.000 --> 00:02.000\nSaid aloud.\n", "Said aloud."),
        ("notes.md", "# Größe\n\nPlain words.".encode(), "Plain words."),
    ],
)
def test_a_source_is_read_by_what_it_is(tmp_path: Path, name: str, content: bytes, found: str) -> None:
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / name).write_bytes(content)
    with site(folder) as address:
        result = run(Desk(tmp_path), url=f"{address}/{name}", template_content="{{text}}")
    assert found in result.markdown


@needs_shared
@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("slides/libreoffice_und_tdf.pdf", "Kuck mal, wer da spricht!"),
        ("slides/openchain_training_checklist.docx", "Refresher training on open source compliance"),
    ],
)
def test_documents_are_read_through_the_document_engine(tmp_path: Path, path: str, found: str) -> None:
    with site(FIXTURES) as address:
        result = run(Desk(tmp_path), url=f"{address}/{path}", template="PdfAnalysis", target_language="en")
    assert found in result.markdown
    assert "LLM_NOT_CONFIGURED" in [warning.code for warning in result.warnings]


def test_what_is_no_text_is_refused_by_its_kind(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "x.bin").write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * 64)
    with site(folder) as address, pytest.raises(UnsupportedFile, match="image/png; expected a text"):
        run(Desk(tmp_path), url=f"{address}/x.bin", template_content="{{text}}")


def test_no_words_are_told(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedFile, match="found none"):
        run(Desk(tmp_path), text=" \n", template_content="{{text}}")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"text": "x"}, "exactly one of template, template_content; found none"),
        ({"template": "Session"}, "exactly one of text, url, upload_id, file_path; found none"),
        ({"text": "x", "url": "https://a.example/", "template": "S"}, "found text and url"),
    ],
)
def test_one_source_and_one_template_are_needed(given: dict[str, str], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        TransformerParameters.model_validate(given)
