"""Uploads: announced, sent straight to the object store, checked before use, cleared away in time."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import httpx
import pytest

from common.clock import utc_now
from common.jobs.sweep import sweep
from common.services import Services
from tests.integration.api.work import fail, pdf

PDF = b"%PDF-1.4 not much of one"


def announce(api: httpx.Client, **more: Any) -> httpx.Response:
    body = {"filename": "a report.pdf", "size": len(PDF), "content_type": "application/pdf"}
    return api.post("/api/uploads", json=body | more.pop("body", {}), **more)


def sent(api: httpx.Client) -> str:
    made = announce(api).json()["data"]
    httpx.put(made["url"], content=PDF, headers=made["headers"]).raise_for_status()
    return str(made["upload_id"])


def submit(api: httpx.Client, upload_id: str) -> httpx.Response:
    return api.post("/api/jobs", json={"job_type": "pdf", "parameters": {"upload_id": upload_id}})


def test_a_file_that_arrived_can_be_used(api: httpx.Client, services: Services) -> None:
    upload_id = sent(api)

    assert submit(api, upload_id).status_code == 202
    assert services.objects.get(services.uploads.owned([upload_id], "local")[upload_id].key) == PDF


@pytest.mark.parametrize(
    ("headers", "content"),
    [
        ({"Content-Type": "text/html"}, PDF),
        ({}, PDF + b" and more"),
        ({}, PDF[:-1]),
    ],
)
def test_the_url_takes_only_what_was_announced(
    api: httpx.Client, headers: dict[str, str], content: bytes
) -> None:
    made = announce(api).json()["data"]
    told = made["headers"] | {"Content-Length": str(len(content))} | headers

    answer = httpx.put(made["url"], content=content, headers=told)

    assert answer.status_code == 403
    refused = submit(api, made["upload_id"])
    assert refused.status_code == 422
    assert refused.json()["error"]["details"]["fields"][0]["field"] == "parameters.upload_id"


def test_the_url_is_for_put_alone(api: httpx.Client) -> None:
    made = announce(api).json()["data"]

    assert httpx.get(made["url"]).status_code == 403


@pytest.mark.parametrize(
    "body",
    [
        {"size": 0},
        {"size": -1},
        {"size": 6 * 1024**3},
        {"size": "12"},
        {"filename": ""},
        {"filename": "x" * 501},
        {"content_type": "text/html\r\nX-Evil: 1"},
        {"more": 1},
    ],
)
def test_what_cannot_be_uploaded_is_refused(api: httpx.Client, body: dict[str, Any]) -> None:
    answer = announce(api, body=body)

    assert answer.status_code == 422
    assert answer.json()["error"]["details"]["fields"][0]["field"] == next(iter(body))


@pytest.mark.parametrize("name", ["../../etc/passwd", "a/b\\c.pdf", "x\r\nSet-Cookie: y.pdf", "CON", ".."])
def test_a_name_stays_inside_its_place(api: httpx.Client, services: Services, name: str) -> None:
    upload_id = announce(api, body={"filename": name}).json()["data"]["upload_id"]

    key = services.uploads.owned([upload_id], "local")[upload_id].key
    assert key.startswith(f"uploads/local/{upload_id}/")
    assert key.count("/") == 3
    assert not {"..", "\r", "\n", "\\"} & set(key.split("/")[-1]) and key.split("/")[-1] not in (
        "..",
        ".",
        "",
    )


def test_another_users_upload_is_unknown(api: httpx.Client, services: Services) -> None:
    upload_id = sent(api)
    services.database["uploads"].update_one({"_id": upload_id}, {"$set": {"user_id": "someone else"}})

    answer = submit(api, upload_id)

    assert answer.status_code == 422
    assert answer.json()["error"]["message"] == submit(api, "upload-unknown").json()["error"]["message"]


def test_a_change_and_a_restart_look_at_their_upload_too(api: httpx.Client, services: Services) -> None:
    job_id = api.post("/api/jobs", json=pdf()).json()["job"]["job_id"]
    unknown, arrived = ({"parameters": {"upload_id": one}} for one in ("upload-unknown", sent(api)))
    soon = utc_now() + timedelta(minutes=5)
    known = arrived["parameters"]["upload_id"]
    services.database["uploads"].update_one({"_id": known}, {"$set": {"expires_at": soon}})

    refused = api.put(f"/api/jobs/{job_id}", json=unknown)
    assert refused.status_code == 422
    assert refused.json()["error"]["details"]["fields"][0]["field"] == "parameters.upload_id"
    api.put(f"/api/jobs/{job_id}", json=arrived).raise_for_status()
    kept = services.uploads.owned([known], "local")[known].expires_at
    assert kept is None or kept > soon
    fail(services, job_id)
    assert api.post(f"/api/jobs/{job_id}/restart", json=unknown).status_code == 422
    api.post(f"/api/jobs/{job_id}/restart", json={}).raise_for_status()


def test_a_member_of_a_batch_is_named_by_its_place(api: httpx.Client) -> None:
    jobs = [{"job_type": "pdf", "parameters": {"upload_id": one}} for one in (sent(api), "upload-unknown")]

    answer = api.post("/api/batches", json={"jobs": jobs})

    assert answer.status_code == 422
    assert answer.json()["error"]["details"]["fields"][0]["field"] == "jobs.1.parameters.upload_id"


def test_the_same_key_announces_one_upload(api: httpx.Client) -> None:
    headers = {"Idempotency-Key": "the-same-upload"}
    first, again = announce(api, headers=headers), announce(api, headers=headers)

    assert first.json()["data"]["upload_id"] == again.json()["data"]["upload_id"]
    assert announce(api, headers=headers, body={"size": 5}).status_code == 422


def test_what_is_too_old_goes_with_its_bytes(api: httpx.Client, services: Services) -> None:
    old, young = sent(api), sent(api)
    key = services.uploads.owned([old], "local")[old].key
    past = utc_now() - timedelta(seconds=1)
    services.database["uploads"].update_one({"_id": old}, {"$set": {"expires_at": past}})

    sweep(services)

    assert services.uploads.owned([old, young], "local").keys() == {young}
    assert list(services.objects.listing(key)) == []
    assert submit(api, young).status_code == 202
