from __future__ import annotations

import base64
import io
import zipfile
from pathlib import Path

import pytest

from tests.integration.session.test_vault import wait
from tests.integration.session.vault_links import broken_links
from tests.servers.site import site
from tests.servers.stack import StackServer
from tests.unit.processing.session.test_handler import PAGE, make_pdf

PARAMETERS = {"event": "Conf 2025", "session": "A talk", "filename": "a_talk.md", "track": "Main Track"}


@pytest.fixture
def web(tmp_path: Path) -> Path:
    make_pdf(tmp_path / "slides.pdf", ["First slide"])
    (tmp_path / "talk.html").write_text(PAGE.format(more='<a href="slides.pdf">Slides</a>'))
    return tmp_path


def test_a_small_session_is_answered_in_one_call(stack: StackServer, web: Path) -> None:
    with stack.client() as client, site(web) as address:
        answer = client.post("/api/session/process", json=PARAMETERS | {"url": f"{address}/talk.html"})
    assert answer.status_code == 200, answer.text
    output = answer.json()["data"]["output"]
    assert output["archive_filename"] == "a_talk.zip"
    assert output["attachments"] == ["Conf_2025/assets/a_talk/slide_01.png"]
    archive = zipfile.ZipFile(io.BytesIO(base64.b64decode(output["archive_data"])))
    assert archive.read(output["markdown_file"]).decode() == output["markdown_content"]
    assert broken_links(archive) == []
    assert answer.json()["process"]["main_processor"] == "session-process"


def test_a_page_that_is_not_there_is_told_at_once(stack: StackServer, web: Path) -> None:
    with stack.client() as client, site(web) as address:
        answer = client.post("/api/session/process", json=PARAMETERS | {"url": f"{address}/gone.html"})
    assert answer.status_code == 422
    error = answer.json()["error"]
    assert error["code"] == "DOWNLOAD_FAILED" and "404" in error["message"]
    assert error["details"]["job_id"].startswith("job-")


def test_a_missing_parameter_is_told_by_name(stack: StackServer) -> None:
    with stack.client() as client:
        answer = client.post("/api/session/process", json={"event": "E"})
    assert answer.status_code == 422
    assert "parameters.session" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    "setting", ["SECRETARY_HTTP__MAX_WAIT_SECONDS=0.01", "SECRETARY_LIMITS__INLINE_ARCHIVE_BYTES=100"]
)
def test_what_is_slow_or_too_big_is_told_by_its_id(
    setting: str, web: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    name, _, value = setting.partition("=")
    stack = StackServer(tmp_path_factory.mktemp("stack"), environment={name: value})
    stack.start()
    try:
        with stack.client() as client, site(web) as address:
            body = PARAMETERS | {"url": f"{address}/talk.html"}
            answer = client.post("/api/session/process", json=body)
            assert answer.status_code == 202, answer.text
            assert answer.json()["data"]["output"]["archive_data"] is None
            job = wait(client, answer.headers["Location"], "job")
            assert job["status"] == "completed"
    finally:
        stack.stop()
