"""The bodies of events: the seeds' form, with the specification's `type` and `timestamp`."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.webhooks.events import (
    EventType,
    batch_event,
    encoded,
    is_progress_due,
    job_event,
    message_id,
)

AT = datetime(2026, 3, 6, 12, 56, 36, 123_000, tzinfo=UTC)
RESULTS = {
    "markdown_file": "/api/pdf/text-content/cache/pdf/x/page_001.txt",
    "markdown_content": "# Title",
    "metadata": {"pages": 3},
    "structured_data": {"title": "x"},
    "archive_data": "UEsDB",
    "archive_filename": "report.zip",
}
JOB: dict[str, Any] = {
    "job_id": "job-1",
    "job_type": "pdf",
    "status": "completed",
    "progress": {"step": "completed", "percent": 100, "message": ""},
    "results": RESULTS,
    "error": None,
    "user_id": "anna",
    "parameters": {"url": "https://x.example/?token=geheim"},
}


def body(*, include_markdown: bool = False, include_metadata: bool = False, **changed: Any) -> dict[str, Any]:
    event = job_event(
        EventType.JOB_COMPLETED,
        JOB | changed,
        at=AT,
        include_markdown=include_markdown,
        include_metadata=include_metadata,
    )
    read: dict[str, Any] = json.loads(encoded(event))
    return read


def test_a_body_has_the_fields_clients_read() -> None:
    event = body()

    assert event["type"] == "job.completed"
    assert event["timestamp"] == "2026-03-06T12:56:36.123Z"
    assert {"job_id", "job_type", "status", "progress", "results"} <= set(event)
    assert event["results"]["archive_filename"] == "report.zip"


def test_long_parts_come_only_when_asked_for_and_their_names_stay() -> None:
    bare, full = body(), body(include_markdown=True, include_metadata=True)

    assert bare["results"]["markdown_content"] is None
    assert bare["results"]["metadata"] is None
    assert full["results"]["markdown_content"] == "# Title"
    assert full["results"]["metadata"] == {"pages": 3}
    assert full["results"]["archive_data"] is None
    assert set(bare["results"]) == set(full["results"]) == set(RESULTS)


def test_a_body_tells_nothing_of_parameters_or_owners() -> None:
    assert "geheim" not in json.dumps(body())
    assert "user_id" not in body()


def test_a_failure_carries_its_error() -> None:
    error = {"code": "ENCRYPTED_FILE", "message": "needs a password", "details": {}}

    assert body(results=None, error=error)["error"] == error
    assert "error" not in body()


def test_a_batchs_end_has_its_counts() -> None:
    event = batch_event(
        {"batch_id": "batch-1", "status": "partial", "total_jobs": 3, "failed_jobs": 1, "user_id": "anna"},
        at=AT,
    )

    assert event == {
        "type": "batch.completed",
        "timestamp": "2026-03-06T12:56:36.123Z",
        "batch_id": "batch-1",
        "status": "partial",
        "total_jobs": 3,
        "failed_jobs": 1,
    }


def test_an_event_is_encoded_to_the_same_bytes_each_time_and_bears_odd_text() -> None:
    event = {"type": "x", "at": AT, "text": "Grüße \ud800 \u2028"}

    assert encoded(event) == encoded(dict(event))
    assert json.loads(encoded(event))["text"].startswith("Grüße ")
    with pytest.raises(TypeError, match="JSON types"):
        encoded({"x": object()})


@given(
    st.lists(st.tuples(st.sampled_from(EventType), st.text(), st.integers(0, 10**6)), min_size=2, max_size=20)
)
def test_different_events_have_different_ids_and_the_same_event_the_same(
    events: list[tuple[EventType, str, int]],
) -> None:
    ids = {message_id(event, subject, number=number) for event, subject, number in events}

    assert len(ids) == len(set(events))


def test_progress_is_throttled() -> None:
    assert is_progress_due(last_sent_at=None, now=AT)
    assert not is_progress_due(last_sent_at=AT, now=AT + timedelta(seconds=9))
    assert is_progress_due(last_sent_at=AT, now=AT + timedelta(seconds=10))
