"""Every kind of document through the whole service: submit, wait, results, files."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.servers.openai_server import OpenAiServer
from tests.servers.site import site
from tests.servers.stack import StackServer
from tests.unit.processing.documents import joined_pdf, scanned_pdf, text_pdf
from tests.unit.processing.office.samples import needs_libreoffice, presentation
from tests.unit.processing.pictures import LETTER, draw_page

PAGES = ("Bread is baked in the morning.", "Ships leave when the tide is high.", "Nobody reads minutes.")


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("documents")
    words = text_pdf(folder / "words.pdf", PAGES)
    scan = scanned_pdf(folder / "scan.pdf", [LETTER[:3], LETTER[3:6]])
    joined_pdf(folder / "mixed.pdf", [words, scan])
    draw_page(LETTER[:3], size=(1000, 420)).save(folder / "photo.jpg", quality=95)
    presentation(folder / "talk.pptx")
    with site(folder) as address:
        yield address


@pytest.fixture
def api(stack: StackServer) -> Iterator[httpx.Client]:
    with stack.client() as client:
        yield client


def run(api: httpx.Client, job_type: str, **parameters: Any) -> dict[str, Any]:
    """One job to its end; the whole answer, with its envelope."""
    body = {"job_type": job_type, "parameters": parameters, "max_attempts": 1}
    answer: dict[str, Any] = api.post("/api/jobs", json=body).raise_for_status().json()
    while answer["job"]["status"] not in ("completed", "failed", "cancelled"):
        job = answer["job"]
        query = {"wait": 20, "since": job.get("version", 0)}
        answer = api.get(f"/api/jobs/{job['job_id']}", params=query).raise_for_status().json()
    return answer


def done(answer: dict[str, Any]) -> dict[str, Any]:
    assert answer["job"]["error"] is None
    results: dict[str, Any] = answer["job"]["results"]
    return results


def test_scanned_pages_are_read_and_the_text_pages_left_alone(api: httpx.Client, sources: str) -> None:
    results = done(run(api, "pdf", url=f"{sources}/mixed.pdf", extraction_method="auto", language="en"))
    assert [line for line in (*PAGES, LETTER[1], LETTER[4]) if line not in results["markdown_content"]] == []
    assert results["metadata"]["page_confidence"][:3] == [None, None, None]
    assert results["metadata"]["ocr_confidence"] > 80
    sha256 = results["metadata"]["sha256"]
    assert results["page_texts"][4] == f"/api/pdf/text-content/cache/pdf/{sha256}/auto-en/page_005.txt"
    assert LETTER[4] in api.get(results["page_texts"][4], follow_redirects=True).text


def test_previews_come_one_by_one_and_in_one_file(api: httpx.Client, sources: str) -> None:
    answer = run(api, "pdf", url=f"{sources}/words.pdf", extraction_method="preview")
    results = done(answer)
    assert len(results["assets"]) == 3
    listing = api.get(f"/api/jobs/{answer['job']['job_id']}/files").json()["data"]["files"]
    assert {"previews/preview_001.jpg", "previews.zip"} <= {item["path"] for item in listing}


def test_equal_jobs_give_archives_of_equal_bytes(api: httpx.Client, sources: str) -> None:
    wanted = {"url": f"{sources}/words.pdf", "include_images": True, "force_overwrite": True}
    first, second = (done(run(api, "pdf", **wanted)) for _ in range(2))
    assert first["archive_filename"].startswith("words_images_")
    assert first["archive_sha256"] == second["archive_sha256"]
    content = api.get(second["archive_url"], follow_redirects=True).content
    assert "images/image_003.jpg" in zipfile.ZipFile(io.BytesIO(content)).namelist()


def test_a_photo_is_read(api: httpx.Client, sources: str) -> None:
    results = done(run(api, "imageocr", url=f"{sources}/photo.jpg", language="en"))
    assert LETTER[1] in results["markdown_content"]


def test_a_presentation_is_read_directly(api: httpx.Client, sources: str) -> None:
    results = done(run(api, "office", url=f"{sources}/talk.pptx"))
    assert results["markdown_content"].startswith("# Why paper survives")
    assert len(results["page_texts"]) == 3


@needs_libreoffice
def test_a_presentation_is_seen_through_libreoffice(api: httpx.Client, sources: str) -> None:
    results = done(run(api, "pdf", url=f"{sources}/talk.pptx", include_images=True))
    assert len(results["assets"]) == 3
    assert "It needs no power" in results["markdown_content"]


@pytest.mark.parametrize(("job_type", "name"), [("imageocr", "words.pdf"), ("office", "photo.jpg")])
def test_the_wrong_kind_of_file_is_named(api: httpx.Client, sources: str, job_type: str, name: str) -> None:
    job = run(api, job_type, url=f"{sources}/{name}")["job"]
    assert (job["status"], job["error"]["code"]) == ("failed", "UNSUPPORTED_FILE")


@pytest.mark.parametrize("job_type", ["pdf", "imageocr"])
def test_a_model_method_is_refused_where_no_model_is(api: httpx.Client, sources: str, job_type: str) -> None:
    parameters = {"url": f"{sources}/words.pdf", "extraction_method": "llm"}
    answer = api.post("/api/jobs", json={"job_type": job_type, "parameters": parameters})
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "LLM_NOT_CONFIGURED")
    assert "OPENAI_API_KEY" in answer.json()["error"]["message"]
    batch = {"jobs": [{"job_type": job_type, "parameters": parameters}]}
    assert api.post("/api/batches", json=batch).json()["error"]["code"] == "LLM_NOT_CONFIGURED"


@pytest.fixture(scope="module")
def small_slices(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StackServer]:
    """A service with a model, whose runs are so short that each can read little more than one page."""
    with OpenAiServer(answer=lambda _: "# Seen by the model") as model:
        server = StackServer(
            tmp_path_factory.mktemp("slices"),
            environment=model.environment() | {"SECRETARY_JOBS__SLICE_SECONDS": "15"},
        )
        server.start()
        yield server
        server.stop()


def test_a_job_longer_than_its_runs_goes_on_where_it_was(small_slices: StackServer, sources: str) -> None:
    with small_slices.client() as api:
        answer = run(api, "pdf", url=f"{sources}/words.pdf", extraction_method="llm")
        job = answer["job"]
        assert done(answer)["markdown_content"].count("# Seen by the model") == 3
        assert job["attempt"] == 3, "each run handed over after its page"
        assert len(answer["process"]["llm_info"]["requests"]) == 3
        again = run(api, "pdf", url=f"{sources}/words.pdf", extraction_method="llm")
        assert again["process"]["is_from_cache"] is True
        assert again["process"]["llm_info"]["requests"] == []
