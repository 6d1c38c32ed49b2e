"""What the worker reports about a running job is what the specification tells and the command shows."""

from __future__ import annotations

import pytest
from rich.progress import Progress

from common.client.service import show_progress
from common.http.answers import JobProgress
from common.jobs.slot import with_eta


def test_pages_and_time_left_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "en_GB.UTF-8")
    reported = {"step": "processing_pages", "percent": 25.0, "message": "", "done": 3, "total": 12}
    told = with_eta(reported, 30.0)
    JobProgress.model_validate(told)

    with Progress(disable=True) as progress:
        task = progress.add_task("a job", step="")
        show_progress(progress, task, {"status": "processing", "progress": told})
        shown = progress.tasks[0].fields["step"]
    assert shown.endswith("page 3 of 12 · 1:30 left")
