import io
import json
import re
import zipfile
from collections.abc import Iterable

from common.archive.batch import JobFiles, batch_vault, merge_jobs
from common.archive.entry import bytes_entry
from common.archive.index import Card, Failure

EVENT = "sessions/FOSDEM_2025"


def job(
    name: str = "welcome",
    *,
    language: str = "DE",
    picture: bytes = b"picture",
    text: str = "",
    track: str = "Email",
) -> JobFiles:
    slide = f"{EVENT}/assets/{name}/slide_01.png"
    note = f"{EVENT}/{language}/{track}/{name}.md"
    embed = f"![[{slide.removeprefix('sessions/')}|300]]\n"
    return JobFiles(
        name=name,
        entries=(bytes_entry(note, (text + embed).encode()), bytes_entry(slide, picture)),
        card=Card(
            title=f"Talk {name}",
            markdown_path=note,
            track=track,
            day="2025-02-01",
            start="10:30",
            language=language,
            speakers=("Robin Jarry",),
            topics=("email",),
        ),
    )


def unpacked(jobs: Iterable[JobFiles], failures: list[Failure] | None = None) -> dict[str, bytes]:
    data = b"".join(batch_vault(jobs, failures or [], title="FOSDEM 2025", language="de"))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def assert_every_link_resolves(files: dict[str, bytes]) -> None:
    targets = {name.removeprefix("sessions/") for name in files}
    for name, data in files.items():
        if name.endswith(".md"):
            for target in re.findall(r"\[\[([^\]|]+)", data.decode()):
                assert target in targets or f"{target}.md" in targets, (name, target)


def test_languages_share_their_pictures() -> None:
    files = unpacked([job(language="DE"), job(language="EN")])
    assert [name for name in files if name.endswith(".png")] == [f"{EVENT}/assets/welcome/slide_01.png"]
    assert_every_link_resolves(files)


def test_the_index_goes_by_day_and_track_and_names_speakers_and_topics() -> None:
    index = unpacked([job("b", track="Python"), job("a")])["index.md"].decode()
    assert index.index("## 2025-02-01") < index.index("### Email") < index.index("### Python")
    assert "- 10:30 [[FOSDEM_2025/DE/Email/a|Talk a]] · Robin Jarry · *email*" in index
    assert "- Robin Jarry: [[FOSDEM_2025/DE/Python/b|Talk b]], [[FOSDEM_2025/DE/Email/a|Talk a]]" in index
    assert "## Themen\n- email: " in index


def test_two_talks_of_one_name_are_numbered_and_their_links_follow() -> None:
    files = unpacked([job(), job(picture=b"another"), job(picture=b"third", text="x")])
    assert files[f"{EVENT}/assets/welcome/slide_01_2.png"] == b"another"
    assert b"slide_01_2.png" in files[f"{EVENT}/DE/Email/welcome_2.md"]
    assert b"slide_01_3.png" in files[f"{EVENT}/DE/Email/welcome_3.md"]
    assert b"[[FOSDEM_2025/DE/Email/welcome_3|" in files["index.md"]
    assert_every_link_resolves(files)


def test_files_of_other_job_types_get_a_folder_per_job() -> None:
    reports = [
        JobFiles(
            name="Report",
            entries=(bytes_entry("report.md", text),),
            card=Card(title="Report", markdown_path="report.md"),
        )
        for text in (b"a", b"b")
    ]
    files = unpacked(reports)
    assert files["documents/Report/report.md"] == b"a"
    assert files["documents/Report_2/report.md"] == b"b"
    assert_every_link_resolves(files)


def test_failures_stand_in_errors_json_and_on_the_index() -> None:
    failure = Failure(
        job_id="job-1",
        name="Gone",
        url="https://x.org/1",
        error={"code": "DOWNLOAD_FAILED", "message": "404"},
    )
    files = unpacked([job()], [failure])
    assert json.loads(files["errors.json"]) == {
        "errors": [
            {
                "job_id": "job-1",
                "job_name": "Gone",
                "url": "https://x.org/1",
                "error": {"code": "DOWNLOAD_FAILED", "message": "404"},
            }
        ]
    }
    assert "- Gone: <https://x.org/1> DOWNLOAD_FAILED 404" in files["index.md"].decode()


def test_an_empty_batch_is_still_a_valid_vault() -> None:
    assert set(unpacked([])) == {"README.md", "manifest.json", "index.md", "errors.json"}


def test_a_title_cannot_break_out_of_its_link() -> None:
    card = Card(title="A [[b]] | c\n# d", markdown_path=f"{EVENT}/DE/T/a.md", track="T\n# x", day="")
    index = unpacked([JobFiles(name="a", entries=(bytes_entry(card.markdown_path, b"x"),), card=card)])[
        "index.md"
    ]
    assert b"[[FOSDEM_2025/DE/T/a|A b c # d]]" in index
    assert b"\n# x" not in index


def test_a_thousand_jobs_of_one_name_merge_quickly() -> None:
    entries, cards = merge_jobs(job(picture=str(number).encode()) for number in range(1000))
    assert len(entries) == 2000
    assert len({card.markdown_path for card in cards}) == 1000
