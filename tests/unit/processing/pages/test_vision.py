"""Pages read by a vision model, over the real protocol: order, limits, faults and what stands in."""

from __future__ import annotations

import base64
import io
import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from common.errors import LlmNotConfigured
from common.processing.base import HandOver, Limits, Result
from common.processing.language_model import configured_model
from common.processing.pages.method import ExtractionMethod
from common.processing.pdf.handler import handle
from common.processing.pdf.parameters import PdfParameters
from common.settings import load_settings
from tests.servers.openai_server import Fault, OpenAiServer, Seen
from tests.unit.processing.contexts import Desk, RecordedProgress
from tests.unit.processing.documents import scanned_pdf, text_pdf

TEXTS = (
    "The layer of the opening page.",
    "Bread is baked in the morning.",
    "Ships leave when the tide is high.",
    "Nobody reads minutes of meetings.",
    "Paper survives most of its writers.",
    "Last words are seldom the last.",
)


def page_number(chat: Seen) -> int:
    match = re.search(r"This is page (\d+)", chat.user)
    assert match
    return int(match[1])


def transcribe(chat: Seen) -> str:
    return f"# Seen on page {page_number(chat)}"


@pytest.fixture
def server() -> Iterator[OpenAiServer]:
    with OpenAiServer(answer=transcribe) as running:
        yield running


@pytest.fixture
def desk(tmp_path: Path, server: OpenAiServer) -> Iterator[Desk]:
    with configured_model(load_settings(server.environment())) as model:
        yield Desk(tmp_path / "desk", model=model)


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    return text_pdf(tmp_path / "talk.pdf", TEXTS)


def run(path: Path, desk: Desk, /, **options: Any) -> Result:
    options = {"extraction_method": "llm"} | options
    return handle(PdfParameters(file_path=str(path), **options), desk.context())


def seen(*numbers: int) -> str:
    return "\n\n".join(f"# Seen on page {number}" for number in numbers)


def test_the_model_sees_each_page_and_its_answers_come_in_order(
    talk: Path, desk: Desk, server: OpenAiServer
) -> None:
    result = run(talk, desk)
    assert result.markdown.strip() == seen(1, 2, 3, 4, 5, 6)
    assert sorted(page_number(chat) for chat in server.chats()) == [1, 2, 3, 4, 5, 6]
    head, data = server.chats()[0].pictures[0].split(",", 1)
    assert head == "data:image/jpeg;base64"
    assert max(Image.open(io.BytesIO(base64.b64decode(data))).size) <= 2048
    assert TEXTS[0] not in server.chats()[0].user


def test_every_call_is_counted(talk: Path, desk: Desk) -> None:
    result = run(talk, desk)
    assert len(result.llm_requests) == 6
    assert {call["tokens"] > 100 for call in result.llm_requests} == {True}
    assert {call["purpose"] for call in result.llm_requests} == {"describe"}


def test_a_second_job_asks_nothing(talk: Path, desk: Desk, server: OpenAiServer) -> None:
    run(talk, desk)
    result = run(talk, desk)
    assert len(server.chats()) == 6
    assert result.is_from_cache
    assert result.markdown.strip() == seen(1, 2, 3, 4, 5, 6)


def test_pages_are_asked_side_by_side_within_the_limit(talk: Path, desk: Desk, server: OpenAiServer) -> None:
    meeting = threading.Barrier(3, timeout=20)

    def answer(chat: Seen) -> str:
        meeting.wait()  # passes only when three requests are there at the same time
        return transcribe(chat)

    server.answer = answer
    desk.limits = replace(desk.limits, model_parallel=3)
    run(talk, desk)
    assert server.most_at_once == 3


def test_of_two_jobs_at_the_same_page_the_first_answer_is_kept(
    tmp_path: Path, desk: Desk, server: OpenAiServer
) -> None:
    """The second asks before the first has its answer, and is answered in other words."""
    path = text_pdf(tmp_path / "one.pdf", TEXTS[:1])
    others: list[Result] = []

    def answer(chat: Seen) -> str:
        if len(server.chats()) > 1:
            return "# In other words"
        others.append(run(path, desk))
        return "# Too late"

    server.answer = answer
    late = run(path, desk)
    assert [others[0].markdown, late.markdown] == ["# In other words\n", "# In other words\n"]
    assert desk.cached("llm-gpt_4o_mini")["page_001.txt"].strip() == b"# In other words"
    server.answer = lambda _: "# Anew"
    assert run(path, desk, force_overwrite=True).markdown == "# Anew\n"
    assert run(path, desk).markdown == "# Anew\n"


@pytest.mark.parametrize(
    ("method", "expected"), [("llm_and_native", TEXTS[0]), ("llm_and_ocr", "Scanned words")]
)
def test_the_model_is_given_what_a_program_has_read(
    tmp_path: Path, desk: Desk, server: OpenAiServer, method: str, expected: str
) -> None:
    path = tmp_path / "one.pdf"
    scanned_pdf(path, [["Scanned words of this page"]]) if "ocr" in method else text_pdf(path, TEXTS[:1])
    result = run(path, desk, extraction_method=method, language="en")
    assert expected in server.chats()[0].user
    assert "English" in server.chats()[0].user
    assert result.markdown.strip() == seen(1)


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_model_is_asked_again(tmp_path: Path, desk: Desk, server: OpenAiServer, status: int) -> None:
    server.faults = [Fault(status=status, headers={"Retry-After": "0"})]
    result = run(text_pdf(tmp_path / "one.pdf", TEXTS[:1]), desk)
    assert len(server.chats()) == 2
    assert result.warnings == ()
    assert result.markdown.strip() == seen(1)


def test_the_native_text_stands_in_where_the_model_fails(
    tmp_path: Path, desk: Desk, server: OpenAiServer
) -> None:
    path = text_pdf(tmp_path / "one.pdf", TEXTS[:1])
    server.faults = [Fault(status=503, headers={"Retry-After": "0"})] * 3
    result = run(path, desk)
    assert result.markdown.strip() == TEXTS[0]
    (warning,) = result.warnings
    assert (warning.code, warning.page) == ("LLM_FAILED", 1)
    assert "native text" in warning.message
    assert "page_001.txt" not in desk.cached("llm-gpt_4o_mini"), "what stands in is not kept"
    assert run(path, desk).markdown.strip() == seen(1)


def test_ocr_stands_in_where_there_is_no_native_text(
    tmp_path: Path, desk: Desk, server: OpenAiServer
) -> None:
    server.faults = [Fault(status=400)]
    result = run(scanned_pdf(tmp_path / "scan.pdf", [["Scanned words of this page"]]), desk)
    assert "Scanned words" in result.markdown
    assert [warning.code for warning in result.warnings] == ["LLM_FAILED"]
    assert "what OCR reads" in result.warnings[0].message


def test_a_model_that_is_down_is_not_asked_for_ever(talk: Path, desk: Desk, server: OpenAiServer) -> None:
    server.faults = [Fault(status=400)] * 100
    desk.limits = replace(desk.limits, model_parallel=1)
    result = run(talk, desk)
    assert len(server.chats()) == 3
    assert [warning.page for warning in result.warnings] == [1, 2, 3, 4, 5, 6]
    assert result.markdown.strip().split("\n\n") == list(TEXTS)


def test_a_wrong_key_ends_the_job(talk: Path, desk: Desk, server: OpenAiServer) -> None:
    server.faults = [Fault(status=401)] * 100
    with pytest.raises(LlmNotConfigured, match="API key"):
        run(talk, desk)


def test_the_cap_on_calls_holds_over_all_runs(talk: Path, desk: Desk, server: OpenAiServer) -> None:
    desk.limits = Limits(model_calls=2, model_parallel=1)
    parameters = PdfParameters(file_path=str(talk), extraction_method=ExtractionMethod.LLM)
    with pytest.raises(HandOver) as caught:
        handle(parameters, desk.context(progress=RecordedProgress(seconds=lambda: 0)))
    assert len(caught.value.checkpoint["llm_requests"]) == 1

    with configured_model(load_settings(server.environment())) as fresh:  # as in a new run
        desk.model = fresh
        result = handle(parameters, desk.context(checkpoint=caught.value.checkpoint))
    assert len(server.chats()) == 2
    assert len(result.llm_requests) == 2
    assert result.markdown.startswith(seen(1, 2))
    assert [warning.page for warning in result.warnings] == [3, 4, 5, 6]
    assert "used up" in result.warnings[0].message


def test_a_fence_around_the_answer_is_taken_off(tmp_path: Path, desk: Desk, server: OpenAiServer) -> None:
    server.answer = lambda _: "```markdown\n# Title\n\n```py\nx = 1\n```\n```"
    result = run(text_pdf(tmp_path / "one.pdf", TEXTS[:1]), desk)
    assert result.markdown.strip() == "# Title\n\n```py\nx = 1\n```"


def test_an_empty_answer_for_a_page_with_text_is_no_answer(
    tmp_path: Path, desk: Desk, server: OpenAiServer
) -> None:
    server.answer = lambda _: " "
    result = run(text_pdf(tmp_path / "one.pdf", TEXTS[:1]), desk)
    assert result.markdown.strip() == TEXTS[0]
    assert [warning.code for warning in result.warnings] == ["LLM_FAILED"]


def test_the_model_for_pictures_may_be_another_one(tmp_path: Path, server: OpenAiServer) -> None:
    environment = server.environment() | {
        "SECRETARY_LLM__MODEL": "writes",
        "SECRETARY_LLM__VISION_MODEL": "sees",
    }
    with configured_model(load_settings(environment)) as model:
        desk = Desk(tmp_path / "desk", model=model)
        result = run(text_pdf(tmp_path / "one.pdf", TEXTS[:1]), desk)
    assert [chat.body["model"] for chat in server.chats()] == ["sees"]
    assert result.metadata["engines"]["model"] == "sees"
    assert len(result.llm_requests) == 1
    assert "page_001.txt" in desk.cached("llm-sees")


def test_a_template_is_filled_by_the_model(tmp_path: Path, desk: Desk, server: OpenAiServer) -> None:
    folder = tmp_path / "templates"
    folder.mkdir()
    (folder / "Short.md").write_text("# {{title}}\n\n{{summary|What is it about?}}\n\n{slides}\n")
    server.answer = lambda _: '{"summary": "It is about layers."}'
    context = replace(desk.context(), template_folders=(folder,))
    path = text_pdf(tmp_path / "one.pdf", TEXTS[:1])
    parameters = PdfParameters(
        file_path=str(path), template="Short", context={"title": "One"}, include_images=True
    )
    result = handle(parameters, context)
    assert result.markdown.startswith("# One\n\nIt is about layers.\n\n![[images/image_001.jpg|300]]")
    assert result.structured_data == {"summary": "It is about layers."}
    assert [call["purpose"] for call in result.llm_requests] == ["structured"]
    assert TEXTS[0] in server.chats()[0].user
