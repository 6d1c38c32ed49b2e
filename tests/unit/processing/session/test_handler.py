from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any

import pytest

from common.errors import DownloadFailed, TemplateError, UnsupportedFile
from common.processing.base import HandOver, Result
from common.processing.session.handler import handle
from common.processing.session.parameters import SessionParameters
from common.processing.transform.model import OpenAiModel
from tests.servers.openai_server import OpenAiServer
from tests.servers.site import site as served
from tests.unit.processing.desk import Desk
from tests.unit.shared_files import FIXTURES, needs_shared

PAGE = """<!doctype html><html lang="en"><head><title>A talk</title></head><body><main><h1>A talk</h1>
<p>Speaker: Ada Lovelace</p><p>2025-05-03, 10:00 - 10:45</p><h2>Abstract</h2>
<p>It deals with [[engines]] and notes.</p>{more}</main></body></html>"""
EMBED = re.compile(r"!\[\[([^|\]]+)\|300\]\]")


def make_pdf(path: Path, words: list[str]) -> None:
    """A PDF with one line of text on each page."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", ""]
    kids = []
    for line in words:
        content = f"BT /F1 24 Tf 40 200 Td ({line}) Tj ET"
        objects.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream")
        font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 300] /Contents {len(objects)} 0 R"
            f" /Resources << /Font << /F1 {font} >> >> >>"
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    body, places = "%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    tail = f"trailer << /Size {size} /Root 1 0 R >>\nstartxref\n{len(body)}\n%%EOF"
    path.write_text(f"{body}xref\n0 {size}\n0000000000 65535 f \n{table}{tail}")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    make_pdf(folder / "slides.pdf", ["First slide", "Second slide"])
    (folder / "talk.html").write_text(PAGE.format(more='<a href="slides.pdf">Slides</a>'))
    (folder / "bare.html").write_text(PAGE.format(more=""))
    return folder


def process(desk: Desk, address: str, page: str = "talk.html", **parameters: Any) -> Result:
    given = {"event": "Conf 2025", "session": "A talk", "filename": "a_talk.md", "track": "Main Track"}
    model = SessionParameters.model_validate(given | {"url": f"{address}/{page}"} | parameters)
    return handle(model, desk.context())


def test_a_session_becomes_a_note_with_pictures_at_the_paths_of_a_vault(site: Path, tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    with served(site) as address:
        result = process(desk, address)
    assert result.markdown_file == "sessions/Conf_2025/DE/Main_Track/a_talk.md"
    assert result.assets == (
        "sessions/Conf_2025/assets/a_talk/slide_01.png",
        "sessions/Conf_2025/assets/a_talk/slide_02.png",
    )
    assert result.archive_name == "a_talk.zip"
    assert result.target_dir == "sessions/Conf_2025/DE/Main_Track"
    note = desk.files.read(result.markdown_file).decode()
    assert note == result.markdown
    assert "![[Conf_2025/assets/a_talk/slide_01.png|300]]" in note
    assert desk.files.read(result.assets[0]).startswith(b"\x89PNG")
    assert "First slide" in note and "It deals with" in note
    assert [desk.files.read(path).decode() for path in result.page_texts] == ["First slide", "Second slide"]


def test_without_a_model_the_job_delivers_with_a_warning_and_structured_data(
    site: Path, tmp_path: Path
) -> None:
    with served(site) as address:
        result = process(Desk(tmp_path), address)
    assert [warning.code for warning in result.warnings] == ["LLM_NOT_CONFIGURED"]
    data = result.structured_data
    assert data["topic"] == "Main Track"
    assert data["speakers"] == ["Ada Lovelace"]
    assert (data["duration"], data["date"], data["relevance"]) == (45, "2025-05-03", None)
    assert result.texts["attachments_text"].split() == ["First", "slide", "Second", "slide"]


def test_what_the_job_is_told_goes_before_what_the_page_says(site: Path, tmp_path: Path) -> None:
    with served(site) as address:
        result = process(
            Desk(tmp_path), address, speakers="Grace Hopper, Ada Lovelace", day="Saturday", starttime="11:00",
            target_language="en",
        )  # fmt: skip
    data = result.structured_data
    assert data["speakers"] == ["Grace Hopper", "Ada Lovelace"]
    assert (data["date"], data["starttime"], data["endtime"]) == ("2025-05-03", "11:00", "10:45")
    assert result.markdown_file == "sessions/Conf_2025/EN/Main_Track/a_talk.md"


def test_brackets_of_the_page_do_not_become_a_link_to_nowhere(site: Path, tmp_path: Path) -> None:
    with served(site) as address:
        markdown = process(Desk(tmp_path), address).markdown
    assert "\\[\\[engines]]" in markdown
    assert len(re.findall(r"(?<!\\)\[\[", markdown)) == len(EMBED.findall(markdown)) == 2


def test_no_archive_without_pictures_or_when_none_is_wanted(site: Path, tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    with served(site) as address:
        assert process(desk, address, "bare.html").archive_name is None
        assert process(desk, address, create_archive=False).archive_name is None


def test_a_page_that_is_not_there_ends_the_job(site: Path, tmp_path: Path) -> None:
    with served(site) as address, pytest.raises(DownloadFailed, match="404"):
        process(Desk(tmp_path), address, "gone.html")


def test_a_page_that_is_a_pdf_ends_the_job(site: Path, tmp_path: Path) -> None:
    with served(site) as address, pytest.raises(UnsupportedFile, match=r"web page \(HTML\), found a PDF"):
        process(Desk(tmp_path), address, "slides.pdf")


@pytest.mark.parametrize(
    ("name", "content", "code", "said"),
    [
        ("gone.pdf", None, "DOWNLOAD_FAILED", "404"),
        ("page.pdf", b"<!doctype html><title>x</title>", "UNSUPPORTED_FILE", "text/html; expected a PDF"),
        ("empty.pdf", b"", "UNSUPPORTED_FILE", "application/x-empty; expected a PDF"),
        ("none.pdf", b"%PDF-1.4\n%%EOF", "UNSUPPORTED_FILE", "no pages"),
    ],
)
def test_an_attachment_that_fails_is_a_warning_and_the_others_are_shown(
    site: Path, tmp_path: Path, name: str, content: bytes | None, code: str, said: str
) -> None:
    if content is not None:
        (site / name).write_bytes(content)
    with served(site) as address:
        urls = [f"{address}/{name}", f"{address}/slides.pdf"]
        result = process(Desk(tmp_path), address, attachments_url=urls)
    warning = result.warnings[0]
    assert warning.code == code
    assert said in warning.message and name in warning.message
    assert len(result.assets) == 2


def test_a_transcript_that_is_handed_in_spares_the_download(site: Path, tmp_path: Path) -> None:
    with served(site) as address:
        result = process(
            Desk(tmp_path), address, video_url=f"{address}/gone.mp4", video_transcript="Good morning."
        )
    assert result.texts["video_transcript"] == "Good morning."
    assert "Good morning." in result.markdown
    assert [warning.code for warning in result.warnings] == ["LLM_NOT_CONFIGURED"]


def test_captions_of_the_page_are_the_transcript(site: Path, tmp_path: Path) -> None:
    (site / "talk.vtt").write_text(
        "WEBVTT\n\n00:01.000 --> 00:02.000\nHello\n\n00:02.100 --> 00:03.000\nall.\n"
    )
    (site / "video.html").write_text(
        PAGE.format(more='<video src="talk.mp4"><track src="talk.vtt" srclang="en"></video>')
    )
    with served(site) as address:
        result = process(Desk(tmp_path), address, "video.html")
    assert result.texts["video_transcript"] == "Hello all."


def test_the_player_of_the_page_gives_its_captions(site: Path, tmp_path: Path) -> None:
    (site / "talk.vtt").write_text("WEBVTT\n\n00:01.000 --> 00:02.000\nHello from the player.\n")
    setup = '{"file": "/talk.mp4", "tracks": [{"file": "/talk.vtt", "kind": "captions"}]}'
    (site / "embed").mkdir()
    (site / "embed" / "film").write_text(
        f"<html><body><script>jwplayer('p').setup({setup});</script></body></html>"
    )
    (site / "talk.html").write_text(PAGE.format(more='<iframe src="/embed/film"></iframe>'))
    with served(site) as address:
        result = process(Desk(tmp_path), address)
    assert result.texts["video_transcript"] == "Hello from the player."
    assert "/embed/film" in result.markdown


def test_a_recording_without_captions_or_recognition_is_a_warning(site: Path, tmp_path: Path) -> None:
    with served(site) as address:
        result = process(Desk(tmp_path), address, video_url=f"{address}/talk.mp4")
    assert "TRANSCRIPTION_FAILED" in [warning.code for warning in result.warnings]
    assert result.archive_name == "a_talk.zip"


def test_an_unknown_template_is_told_before_anything_is_fetched(tmp_path: Path) -> None:
    with pytest.raises(TemplateError, match=r"known are: .*Session"):
        process(Desk(tmp_path), "http://127.0.0.1:1", template="Sesion")


def test_a_run_that_hands_over_does_no_page_twice(site: Path, tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    with served(site) as address:
        given = {"event": "E", "session": "S", "url": f"{address}/talk.html", "use_cache": False}
        parameters = SessionParameters.model_validate(given)
        first = desk.context()
        desk.steps.runs_out_after = 1
        with pytest.raises(HandOver) as handed:
            handle(parameters, first)
        assert handed.value.checkpoint["page"] == 2
        (kept,) = tmp_path.glob("slides-*/slide_001.png")
        made = kept.stat().st_mtime_ns
        result = handle(parameters, desk.context(checkpoint=handed.value.checkpoint))
        assert kept.stat().st_mtime_ns == made, "the first page was taken from the run before"
        assert len(result.assets) == 2
        handle(parameters, desk.context())
        assert kept.stat().st_mtime_ns > made, "without a checkpoint and a cache it is made anew"


@pytest.mark.parametrize(
    "wrong", [{"event": " "}, {"url": "ftp://x"}, {"target_language": "§"}, {"sesion": "x"}]
)
def test_a_wrong_parameter_is_refused_by_name(wrong: dict[str, str]) -> None:
    given = {"event": "E", "session": "S", "url": "https://a.example/"} | wrong
    with pytest.raises(ValueError, match=next(iter(wrong))):
        SessionParameters.model_validate(given)


def expected_pages() -> list[dict[str, str]]:
    if not FIXTURES.is_dir():
        return []
    with (FIXTURES / "EXPECTED.tsv").open() as file:
        return [row for row in csv.DictReader(file, delimiter="\t") if row["file"].startswith("pages/")]


@needs_shared
@pytest.mark.parametrize("row", expected_pages(), ids=lambda row: Path(row["file"]).stem)
def test_the_shared_pages_give_what_is_expected(row: dict[str, str], tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    with served(FIXTURES) as address:
        result = process(desk, address, row["file"], session=row["title"], target_language=row["language"])
    data = result.structured_data
    assert data["speakers"] == row["speakers"].split("; ")
    assert data["source_language"] == row["language"]
    for words in row["must contain"].split("; "):
        if words.startswith("not: "):
            assert words.removeprefix("not: ") not in result.markdown
        else:
            assert words in result.markdown
    paths = {file.path.removeprefix("sessions/") for file in desk.files.listing()}
    assert set(EMBED.findall(result.markdown)) <= paths


def test_a_model_writes_in_the_target_language_and_leaves_names_alone(site: Path, tmp_path: Path) -> None:
    given = {"event": "Conf 2025", "session": "A talk", "track": "Main Track", "target_language": "fr"}
    with served(site) as address, OpenAiServer() as server:
        parameters = SessionParameters.model_validate(given | {"url": f"{address}/talk.html"})
        model = OpenAiModel(name="m", base_url=server.base_url)
        result = handle(parameters, Desk(tmp_path).context(model=model))
        (call,) = server.chats()
    assert "Write all text in French." in call.system
    assert "event: Conf 2025\ntrack: Main Track\nspeakers: Ada Lovelace" in call.system
    assert "First slide" in call.user and "It deals with" in call.user
    assert result.structured_data["topic"] == "topics one"
    assert result.structured_data["relevance"] == 3
    assert result.markdown_file == "sessions/Conf_2025/FR/Main_Track/A_talk.md"
    assert "# text of title" in result.markdown
    assert result.warnings == () and len(result.llm_requests) == 1
