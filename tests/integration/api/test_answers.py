"""Envelope, entity tags, compression, languages: what all routes have in common."""

from __future__ import annotations

import gzip
import json
import socket

import httpx
import pytest

from common.http.answers import BatchDetail, JobDetail, JobRow
from common.services import Services
from tests.integration.api.work import EMPTY_ZIP, finish, pdf


def test_who_has_the_newest_state_is_told_so(api: httpx.Client, services: Services) -> None:
    job_id = api.post("/api/jobs", json=pdf()).json()["job"]["job_id"]
    for path in (f"/api/jobs/{job_id}", f"/api/event-job/jobs/{job_id}"):
        tag = api.get(path).headers["ETag"]
        again = api.get(path, headers={"If-None-Match": tag})
        assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", tag)
    finish(services, job_id)
    fresh = api.get(f"/api/jobs/{job_id}", headers={"If-None-Match": tag})
    assert fresh.status_code == 200
    assert fresh.headers["ETag"] != tag


def test_a_part_of_the_dashboard_is_known_by_any_form_of_its_tag(api: httpx.Client) -> None:
    page = api.get("/monitoring/events")
    tag = page.headers["ETag"].removeprefix("W/")
    for known in (tag, f"W/{tag}", f'"other", {tag}'):
        again = api.get("/monitoring/events", headers={"If-None-Match": known})
        assert (again.status_code, again.content) == (304, b""), known
    assert page.headers["Cache-Control"] == again.headers["Cache-Control"] == "no-cache"
    assert api.get("/monitoring/events", headers={"If-None-Match": '"other"'}).status_code == 200


def test_the_tag_of_a_batch_changes_with_its_members(api: httpx.Client, services: Services) -> None:
    made = api.post("/api/batches", json={"jobs": [pdf(1), pdf(2)]}).json()["data"]
    path = f"/api/batches/{made['batch_id']}"
    tag = {"If-None-Match": api.get(path).headers["ETag"]}
    assert api.get(path, headers=tag).status_code == 304
    finish(services, made["job_ids"][0])
    assert api.get(path, headers=tag).status_code == 200


def test_large_answers_are_compressed_for_those_who_can_read_it(gateway_address: tuple[str, int]) -> None:
    plain = raw(gateway_address, "/api/job-types", "identity")
    packed = raw(gateway_address, "/api/job-types", "br;q=1.0, gzip;q=0.5")
    assert b"Content-Encoding: gzip" in packed[0]
    assert b"Content-Encoding" not in plain[0]
    assert json.loads(gzip.decompress(packed[1]))["data"] == json.loads(plain[1])["data"]
    assert b"Content-Encoding" not in raw(gateway_address, "/api/job-types", "gzip;q=0")[0]
    assert b"Content-Encoding" not in raw(gateway_address, "/health", "gzip")[0]


@pytest.fixture
def gateway_address(api: httpx.Client) -> tuple[str, int]:
    return api.base_url.host, api.base_url.port or 80


def raw(address: tuple[str, int], path: str, encoding: str) -> tuple[bytes, bytes]:
    """Head and body as they are on the wire: a client would unpack them."""
    lines = [f"GET {path} HTTP/1.1", f"Host: {address[0]}:{address[1]}", f"Accept-Encoding: {encoding}"]
    with socket.create_connection(address) as connection:
        connection.sendall("\r\n".join([*lines, "Connection: close", "", ""]).encode())
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    head, _, body = answer.partition(b"\r\n\r\n")
    return head, body


@pytest.mark.parametrize(
    ("accepted", "title"),
    [("de", "Nicht gefunden"), ("de-AT,en;q=0.5", "Nicht gefunden"), ("fr, en;q=0.2", "Not found"),
     ("en;q=0.3, de;q=0.9", "Nicht gefunden"), ("de;q=zz", "Not found"), ("", "Not found")],
)  # fmt: skip
def test_errors_have_a_title_in_the_callers_language(api: httpx.Client, accepted: str, title: str) -> None:
    headers = {"Accept-Language": accepted}
    error = api.get("/api/jobs/job-none", headers=headers).json()["error"]
    assert (error["title"], error["message"]) == (title, "There is no such job.")
    assert api.get("/api/event-job/jobs/job-none", headers=headers).json()["title"] == title
    assert api.get("/no-such-route", headers=headers).json()["error"]["title"] == title


def test_answers_are_as_their_models_say(api: httpx.Client, services: Services) -> None:
    made = api.post("/api/batches", json={"jobs": [pdf(1)]}).json()
    finish(services, made["data"]["job_ids"][0], archive=EMPTY_ZIP)
    BatchDetail.model_validate_json(json.dumps(made["batch"]))
    JobDetail.model_validate_json(
        json.dumps(api.get(f"/api/jobs/{made['data']['job_ids'][0]}").json()["job"])
    )
    for row in api.get("/api/jobs", params={"limit": 5}).json()["jobs"]:
        JobRow.model_validate_json(json.dumps(row))


def test_a_wrong_method_is_told_the_right_ones(api: httpx.Client) -> None:
    answer = api.patch("/api/jobs")
    assert answer.status_code == 405
    assert {"GET", "POST"} <= {method.strip() for method in answer.headers["Allow"].split(",")}


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"{", b"null", b'{"a":NaN}', b'{"job_type":"\\ud800"}', b"\xff", b'{"a":' * 500 + b"1",
     b'{"job_type":"pdf","parameters":{"context":{"n":99999999999999999999}}}',
     b'{"job_type":"pdf","parameters":{"context":{"a\\u0000b":1}}}',
     b'{"job_type":"pdf","parameters":' + b'{"context":' * 80 + b"1" + b"}" * 81],
)  # fmt: skip
def test_no_body_is_too_strange_for_a_clear_error(api: httpx.Client, body: bytes) -> None:
    answer = api.post("/api/jobs", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 422), answer.text
    assert answer.json()["error"]["code"] in ("BAD_REQUEST", "VALIDATION_FAILED")
