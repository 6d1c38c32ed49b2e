"""The paths a user takes through the dashboard, in both languages."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE
from tests.servers.site import site
from tests.servers.stack import StackServer
from tests.unit.outbound.loopback import Loopback

SAMPLES = Path(__file__).parents[2] / "samples"
DASHBOARD = "/monitoring/events"
PICTURE_PIXELS = 1241  # the width of an A4 page at the resolution of our pictures
LONG_MILLISECONDS = 60_000  # a job on a busy machine
LATER = "2999-01-01T00:00:00Z"


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_new_user_drops_a_pdf_and_has_its_text_and_zip(page: Page, language: str, tmp_path: Path) -> None:
    words = {
        "en": ("Add", "completed", "Download ZIP", "Pictures"),
        "de": ("Hinzufügen", "fertig", "ZIP herunterladen", "Bilder"),
    }
    add, done, download, pictures = words[language]
    page.goto(DASHBOARD)
    page.get_by_role("link", name=add).click()
    page.locator(".drop input[type=file]").set_input_files(SAMPLES / "report.pdf")

    expect(page.locator("h1 .badge")).to_have_text(done, timeout=LONG_MILLISECONDS)
    expect(page.get_by_role("heading", name="Jahresbericht des Vereinsarchivs")).to_be_visible()
    expect(page.get_by_role("columnheader", name="Durchsuchbar")).to_be_visible()
    expect(page.get_by_role("heading", name=pictures)).to_be_visible()
    page.locator(".gallery img").first.scroll_into_view_if_needed()
    expect(page.locator(".gallery img").first).to_have_js_property("naturalWidth", PICTURE_PIXELS)
    with page.expect_download() as started:
        page.get_by_role("button", name=download).click()
    target = tmp_path / "archive.zip"
    started.value.save_as(target)
    assert "manifest.json" in zipfile.ZipFile(target).namelist()


@pytest.mark.parametrize(
    ("view", "target"), [("add", ".drop"), ("", "main"), ("jobs", "main"), ("add", "main")]
)
def test_a_file_dragged_onto_the_page_is_taken(page: Page, view: str, target: str) -> None:
    page.goto(f"{DASHBOARD}#/{view}")
    expect(page.locator("h1")).to_be_visible()
    content = (SAMPLES / "slides.pdf").read_bytes()
    transfer = page.evaluate_handle(
        """(bytes) => { const data = new DataTransfer();
            data.items.add(new File([new Uint8Array(bytes)], "slides.pdf", { type: "application/pdf" }));
            return data; }""",
        list(content),
    )
    page.dispatch_event(target, "drop", {"dataTransfer": transfer})

    expect(page.locator("h1")).to_contain_text("slides.pdf", timeout=LONG_MILLISECONDS)
    expect(page.locator("h1 .badge")).to_have_text("completed", timeout=LONG_MILLISECONDS)


def submit(stack: StackServer, parameters: dict[str, Any], **options: Any) -> str:
    body = {"job_type": "pdf", "parameters": parameters, "max_attempts": 1, **options}
    with stack.client() as api:
        return str(api.post("/api/jobs", json=body).raise_for_status().json()["job"]["job_id"])


def test_a_name_full_of_markup_is_shown_as_text(page: Page, stack: StackServer) -> None:
    name = '<script>alert(1)</script><img src=x onerror="alert(2)">'
    page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    job_id = submit(stack, {"url": "https://127.0.0.1:1/a.pdf"}, job_name=name)

    page.goto(f"{DASHBOARD}#/job/{job_id}")
    expect(page.locator("h1")).to_contain_text(name)
    page.goto(f"{DASHBOARD}#/jobs")
    expect(page.get_by_role("link", name=name).first).to_be_visible()
    assert page.locator("main script, main img[src=x]").count() == 0


def test_a_failed_job_says_why_and_can_be_restarted_and_deleted(page: Page, stack: StackServer) -> None:
    with site(SAMPLES) as address:
        job_id = submit(stack, {"url": f"{address}/none.pdf"}, job_name="gone missing")
        page.goto(f"{DASHBOARD}#/job/{job_id}")
        expect(page.get_by_role("alert")).to_contain_text("DOWNLOAD_FAILED", timeout=LONG_MILLISECONDS)
        page.get_by_role("button", name="Restart").click()
        expect(page.locator("#notices")).to_contain_text("Restarted.")
        expect(page.get_by_role("alert")).to_contain_text("DOWNLOAD_FAILED", timeout=LONG_MILLISECONDS)
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Delete").click()
    page.wait_for_url(re.compile("#/jobs"))
    expect(page.get_by_role("link", name="gone missing")).to_have_count(0)


def test_the_list_is_filtered_and_searched(page: Page, stack: StackServer) -> None:
    with site(SAMPLES) as address:
        job_id = submit(stack, {"url": f"{address}/report.pdf"}, job_name="Zwetschgenkuchen")
        page.goto(f"{DASHBOARD}#/job/{job_id}")
        expect(page.locator("h1 .badge")).to_have_text("completed", timeout=LONG_MILLISECONDS)
    page.goto(f"{DASHBOARD}#/jobs")
    page.get_by_label("Search").fill("Zwetschgenkuchen")
    page.get_by_role("button", name="Apply").click()
    expect(page.locator("tbody tr")).to_have_count(1)
    page.get_by_label("Status").select_option("failed")
    expect(page.get_by_text("Nothing here yet.")).to_be_visible()


def test_a_batch_shows_its_members_and_failures(page: Page, stack: StackServer) -> None:
    with site(SAMPLES) as address, stack.client() as api:
        jobs = [
            {"job_type": "pdf", "max_attempts": 1, "parameters": {"url": f"{address}/{name}"}}
            for name in ("report.pdf", "slides.pdf", "none.pdf")
        ]
        answer = api.post("/api/batches", json={"batch_name": "three papers", "jobs": jobs})
        batch_id = answer.raise_for_status().json()["batch"]["batch_id"]
        page.goto(f"{DASHBOARD}#/batch/{batch_id}")
        expect(page.locator("h1 .badge")).to_have_text("partly failed", timeout=LONG_MILLISECONDS)
    expect(page.get_by_role("heading", name="Failures")).to_be_visible()
    expect(page.get_by_text("DOWNLOAD_FAILED")).to_be_visible()
    expect(page.get_by_role("button", name="Retry failed")).to_be_visible()
    page.goto(f"{DASHBOARD}#/batches")
    expect(page.get_by_role("link", name="three papers").first).to_be_visible()


PAGES = ["", "jobs", "batches", "add", "templates"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", PAGES)
def test_every_page_is_accessible(page: Page, view: str, scheme: str) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.goto(f"{DASHBOARD}#/{view}")
    expect(page.locator("h1")).to_be_visible()

    assert serious_findings(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_job_and_a_batch_are_accessible_and_fit_a_phone(
    page: Page, stack: StackServer, scheme: str
) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.set_viewport_size({"width": PHONE["width"], "height": PHONE["height"]})
    with site(SAMPLES) as address, stack.client() as api:
        jobs = [
            {"job_type": "pdf", "max_attempts": 1, "parameters": {"url": f"{address}/{name}.pdf"}}
            for name in ("report", "none")
        ]
        answer = api.post("/api/batches", json={"batch_name": "two papers", "jobs": jobs})
        batch_id = answer.raise_for_status().json()["batch"]["batch_id"]
        page.goto(f"{DASHBOARD}#/batch/{batch_id}")
        expect(page.locator("h1 .badge")).to_have_text("partly failed", timeout=LONG_MILLISECONDS)
        done = api.get("/api/jobs", params={"batch_id": batch_id, "status": "completed"}).json()["jobs"][0]
    for view in (f"batch/{batch_id}", f"job/{done['job_id']}"):
        page.goto(f"{DASHBOARD}#/{view}")
        expect(page.locator("h2").last).to_be_visible()
        assert serious_findings(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def serious_findings(page: Page) -> list[tuple[str, str]]:
    found = Axe().run(page).response["violations"]
    return [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in ("serious", "critical")]


@pytest.mark.parametrize("view", PAGES)
def test_every_page_fits_a_phone(page: Page, view: str) -> None:
    page.set_viewport_size({"width": PHONE["width"], "height": PHONE["height"]})
    page.goto(f"{DASHBOARD}#/{view}")
    expect(page.locator("h1")).to_be_visible()

    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_the_way_by_keyboard(page: Page) -> None:
    page.goto(DASHBOARD)
    expect(page.locator("h1")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    for _ in range(3):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Jobs")


@pytest.mark.expects_console_errors
def test_what_does_not_exist_is_told(page: Page) -> None:
    page.goto(f"{DASHBOARD}#/job/job-unknown")

    expect(page.get_by_role("alert")).to_contain_text("Something went wrong")


def test_the_policy_lets_only_our_own_code_run(page: Page) -> None:
    answer = page.goto(DASHBOARD)

    assert answer is not None
    policy = answer.headers["content-security-policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy


def test_the_overview_shows_tracks_throughput_and_durations(page: Page, stack: StackServer) -> None:
    with site(SAMPLES) as address, stack.client() as api:
        parameters = {
            "event": "Open Archive Days", "session": "Keeping the Minutes", "track": "Birnenreihe",
            "url": f"{address}/talk.html", "filename": "minutes.md",
        }  # fmt: skip
        body = {"job_type": "session", "parameters": parameters}
        job_id = api.post("/api/jobs", json=body).raise_for_status().json()["job"]["job_id"]
        page.goto(f"{DASHBOARD}#/job/{job_id}")
        expect(page.locator("h1 .badge")).to_have_text("completed", timeout=LONG_MILLISECONDS)
    page.goto(f"{DASHBOARD}#/")
    expect(page.get_by_role("cell", name="Birnenreihe")).to_be_visible()
    expect(page.get_by_role("img", name=re.compile("Completed: [1-9]"))).to_be_visible()
    expect(page.get_by_role("img", name=re.compile("Mean duration: at most [0-9]"))).to_be_visible()
    expect(page.get_by_text("Success rate")).to_be_visible()
    page.get_by_label("How far back").select_option("30d")
    expect(page).to_have_url(re.compile("window=30d"))
    expect(page.get_by_role("img", name=re.compile("Completed: [1-9]"))).to_be_visible()


def test_lists_show_new_jobs_by_themselves(page: Page, stack: StackServer) -> None:
    for view in ("", "jobs"):
        page.goto(f"{DASHBOARD}#/{view}")
        expect(page.locator("h1")).to_be_visible()
        name = f"Sauerampfer {view or 'overview'}"
        submit(stack, {"url": "https://127.0.0.1:1/a.pdf"}, job_name=name)
        expect(page.get_by_role("link", name=name).first).to_be_visible()


def test_every_attempt_of_a_job_is_told(page: Page, stack: StackServer) -> None:
    with site(SAMPLES) as address:
        job_id = submit(stack, {"url": f"{address}/slides.pdf"})
        page.goto(f"{DASHBOARD}#/job/{job_id}")
        expect(page.get_by_role("heading", name="Attempt 1")).to_be_visible(timeout=LONG_MILLISECONDS)
        expect(page.locator("h1 .badge")).to_have_text("completed", timeout=LONG_MILLISECONDS)
        page.get_by_role("button", name="Restart").click()
        expect(page.get_by_role("heading", name="Attempt 2")).to_be_visible(timeout=LONG_MILLISECONDS)


def test_webhook_deliveries_are_shown_and_sent_again(page: Page, stack: StackServer) -> None:
    with (
        site(SAMPLES) as address,
        Loopback(routes={"/hook": lambda exchange: exchange.reply(204)}) as receiver,
    ):
        hook = {"url": receiver.url("/hook")}
        job_id = submit(stack, {"url": f"{address}/slides.pdf"}, webhook=hook)
        page.goto(f"{DASHBOARD}#/job/{job_id}")
        expect(page.locator("h1 .badge")).to_have_text("completed", timeout=LONG_MILLISECONDS)
        expect(page.get_by_role("heading", name="Webhook deliveries")).to_be_visible()
        page.reload()
        expect(page.get_by_role("cell", name="job.completed")).to_be_visible()
        page.get_by_role("button", name="Send again").click()
        expect(page.locator("#notices")).to_contain_text("It is sent again.")


def test_a_batch_is_paused_resumed_and_downloaded(page: Page, stack: StackServer, tmp_path: Path) -> None:
    with site(SAMPLES) as address, stack.client() as api:
        jobs = [
            {"job_type": "pdf", "parameters": {"url": f"{address}/slides.pdf"}, "not_before": LATER},
            {"job_type": "pdf", "parameters": {"url": f"{address}/report.pdf"}},
        ]
        answer = api.post("/api/batches", json={"batch_name": "a pause", "jobs": jobs})
        batch_id = answer.raise_for_status().json()["batch"]["batch_id"]
        page.goto(f"{DASHBOARD}#/batch/{batch_id}")
        page.get_by_role("button", name="Pause").click()
        page.get_by_role("button", name="Resume").click()
        expect(page.get_by_role("button", name="Pause")).to_be_visible()
        page.get_by_role("button", name="Cancel").click()
        expect(page.get_by_role("button", name="Cancel")).to_have_count(0, timeout=LONG_MILLISECONDS)
        ended = [
            {"job_type": "pdf", "parameters": {"url": f"{address}/{name}.pdf"}}
            for name in ("slides", "report")
        ]
        answer = api.post("/api/batches", json={"batch_name": "two papers", "jobs": ended})
        page.goto(f"{DASHBOARD}#/batch/{answer.raise_for_status().json()['batch']['batch_id']}")
        expect(page.locator("h1 .badge")).to_have_text("completed", timeout=LONG_MILLISECONDS)
        with page.expect_download(timeout=LONG_MILLISECONDS) as started:
            page.get_by_role("button", name="Download ZIP").click()
    started.value.save_as(tmp_path / "vault.zip")
    assert zipfile.ZipFile(tmp_path / "vault.zip").testzip() is None


def test_a_schedule_is_previewed_and_imported(page: Page) -> None:
    with site(SAMPLES) as address:
        page.goto(f"{DASHBOARD}#/add")
        page.get_by_label("Address of a Pentabarf, frab or pretalx schedule").fill(f"{address}/schedule.xml")
        page.get_by_label("At most").fill("1")
        page.get_by_role("button", name="Preview").click()
        expect(page.get_by_text("1 sessions found")).to_be_visible()
        page.get_by_role("button", name="Import 1 sessions").click()
        expect(page.get_by_role("heading", name="Members")).to_be_visible()


def test_a_schedule_in_a_file_is_imported_too(page: Page) -> None:
    page.goto(f"{DASHBOARD}#/add")
    page.get_by_label("Or a file of it").set_input_files(SAMPLES / "schedule.xml")
    page.get_by_label("At most").fill("1")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text("1 sessions found")).to_be_visible()
    page.get_by_role("button", name="Import 1 sessions").click()
    expect(page.get_by_role("heading", name="Members")).to_be_visible()


def test_templates_name_their_languages(page: Page) -> None:
    page.goto(f"{DASHBOARD}#/templates")

    expect(page.get_by_role("row", name="Session")).to_contain_text("de, en, es, fr, it")
