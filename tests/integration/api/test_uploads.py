"""P40, P42: files that callers send straight into the object store, and jobs that take them."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from common.access import Caller
from common.errors import DownloadTooLarge, NotFound, SourceNotFound, ValidationFailed
from common.jobs.submit import submit_batch, submit_job
from common.jobs.sweep import sweep
from common.objects import keys
from common.processing.storage import Uploads
from common.services import Services
from common.uploads.use import create_upload
from tests.servers.gateway import GatewayServer

TEXT = b"%PDF-1.4 not really"
PROMISE = {"filename": "report.pdf", "size": len(TEXT), "content_type": "application/pdf"}


def promised(api: httpx.Client, **changes: object) -> dict[str, Any]:
    answer = api.post("/api/uploads", json=PROMISE | changes)
    assert answer.status_code == 201, answer.text
    place: dict[str, Any] = answer.json()["data"]
    return place


def sent(place: dict[str, Any], content: bytes = TEXT, content_type: str = "application/pdf") -> int:
    headers = place["headers"] | {"Content-Type": content_type}
    return httpx.put(place["url"], content=content, headers=headers).status_code


def job(place: dict[str, Any]) -> dict[str, Any]:
    return {"job_type": "pdf", "parameters": {"upload_id": place["upload_id"]}}


def test_a_file_is_sent_and_a_job_takes_it(api: httpx.Client, services: Services, tmp_path: Path) -> None:
    place = promised(api)
    assert sent(place) == 200
    made = api.post("/api/jobs", json=job(place))
    assert made.status_code == 202
    source = Uploads(services.objects, "local").copy(place["upload_id"], tmp_path / "copy", max_bytes=1000)
    assert source.path.read_bytes() == TEXT
    assert (source.name, source.media_type) == ("report.pdf", "application/pdf")
    with pytest.raises(DownloadTooLarge):
        Uploads(services.objects, "local").copy(place["upload_id"], tmp_path / "again", max_bytes=5)


def test_the_url_takes_only_what_was_promised(api: httpx.Client) -> None:
    assert sent(promised(api), TEXT + b"more") == 403
    assert sent(promised(api), TEXT[:-1]) == 403
    assert sent(promised(api), content_type="text/html") == 403
    place = promised(api)
    assert httpx.get(place["url"]).status_code == 403
    assert httpx.put(place["url"].replace("report.pdf", "other.pdf"), content=TEXT).status_code == 403
    signed = parse_qs(urlsplit(place["url"]).query)
    assert {"content-length", "content-type"} <= set(signed["X-Amz-SignedHeaders"][0].split(";"))
    assert int(signed["X-Amz-Expires"][0]) <= 900


def test_a_job_does_not_take_a_file_that_has_not_arrived(api: httpx.Client) -> None:
    answer = api.post("/api/jobs", json=job(promised(api)))
    assert answer.status_code == 409
    assert "has not arrived" in answer.json()["error"]["message"]


@pytest.mark.parametrize("upload_id", ["upload-" + 32 * "0", "../../etc", "x"])
def test_an_unknown_upload_is_not_found(api: httpx.Client, upload_id: str) -> None:
    assert api.post("/api/jobs", json=job({"upload_id": upload_id})).status_code == 404


def test_someone_elses_upload_answers_like_an_unknown_one(services: Services, tmp_path: Path) -> None:
    alice, bob = Caller(user_id="alice@example.org"), Caller(user_id="bob")
    upload, signed = create_upload(services, alice, dict(PROMISE), key=None)
    httpx.put(signed.url, content=TEXT, headers={"Content-Type": "application/pdf"}).raise_for_status()
    body = {"job_type": "pdf", "parameters": {"upload_id": upload.upload_id}}
    with pytest.raises(NotFound) as theirs:
        submit_job(services, bob, body, key=None)
    with pytest.raises(NotFound) as unknown:
        submit_job(services, bob, {"job_type": "pdf", "parameters": {"upload_id": "upload-1"}}, key=None)
    assert theirs.value.message == unknown.value.message
    with pytest.raises(SourceNotFound):
        Uploads(services.objects, "bob").copy(upload.upload_id, tmp_path / "x", max_bytes=1000)
    assert submit_job(services, alice, body, key=None).user_id == "alice@example.org"
    assert "alice" not in signed.url


@pytest.mark.parametrize(
    "name",
    ["../../../etc/passwd", "a/b\\c.pdf", "x\r\nX-Evil: 1.pdf", "..", "\u202egpj.exe", "A" * 400, "CON"],
)
def test_a_name_cannot_leave_its_place(services: Services, name: str) -> None:
    upload, _ = create_upload(services, Caller(user_id="dora"), PROMISE | {"filename": name}, key=None)
    key = keys.upload("dora", upload.upload_id, upload.filename)
    assert key.startswith(keys.upload_prefix("dora", upload.upload_id))
    assert key.count("/") == 3
    assert upload.filename.isprintable()
    assert upload.filename not in (".", "..")


def test_the_same_key_gives_the_same_upload_with_a_fresh_url(api: httpx.Client) -> None:
    headers = {"Idempotency-Key": secrets.token_hex(8)}
    first, second = (api.post("/api/uploads", json=PROMISE, headers=headers) for _ in range(2))
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json()["data"]["upload_id"] == second.json()["data"]["upload_id"]
    assert sent(second.json()["data"]) == 200
    other = api.post("/api/uploads", json=PROMISE | {"size": 1}, headers=headers)
    assert other.status_code == 422


@pytest.mark.parametrize(
    ("changes", "field"),
    [({"size": 0}, "size"), ({"size": 6 * 1024**3}, "size"), ({"content_type": "x\r\ny/z"}, "content_type"),
     ({"filename": ""}, "filename"), ({"size": "12"}, "size")],
)  # fmt: skip
def test_a_promise_that_cannot_be_kept_is_refused(
    api: httpx.Client, changes: dict[str, object], field: str
) -> None:
    answer = api.post("/api/uploads", json=PROMISE | changes)
    assert answer.status_code == 422
    assert answer.json()["error"]["details"]["fields"][0]["field"] == field


def test_a_limit_of_the_installation_is_told(services: Services) -> None:
    small = services.settings.limits.model_copy(update={"upload_bytes": 10})
    options = services.settings.model_copy(update={"limits": small})
    limited = type(services)(**{**vars_of(services), "settings": options})
    with pytest.raises(ValidationFailed, match="at most 10 bytes"):
        create_upload(limited, Caller(user_id="eve"), dict(PROMISE), key=None)


def vars_of(services: Services) -> dict[str, Any]:
    return {name: getattr(services, name) for name in services.__dataclass_fields__}


def test_unused_uploads_are_swept_and_used_ones_stay(services: Services) -> None:
    caller = Caller(user_id=f"frank-{secrets.token_hex(4)}")
    unused, used = (create_upload(services, caller, dict(PROMISE), key=None) for _ in range(2))
    for _, signed in (unused, used):
        httpx.put(signed.url, content=TEXT, headers={"Content-Type": "application/pdf"}).raise_for_status()
    past = services.clock() - timedelta(hours=1)
    ids = [unused[0].upload_id, used[0].upload_id]
    services.database["uploads"].update_many({"_id": {"$in": ids}}, {"$set": {"expires_at": past}})
    body = {"jobs": [{"job_type": "pdf", "parameters": {"upload_id": used[0].upload_id}}]}
    submit_batch(services, caller, body, key=None)
    assert sweep(services).unused >= 1
    left = [list(services.objects.listing(keys.upload_prefix(caller.user_id, one))) for one in ids]
    assert [len(found) for found in left] == [0, 1]
    assert [upload.upload_id for upload in services.uploads.of_user(caller.user_id, ids)] == ids[1:]


@pytest.fixture
def open_gateway(
    api_services: Services, api_environment: dict[str, str], tmp_path: Path
) -> Iterator[GatewayServer]:
    origins = {"SECRETARY_HTTP__ALLOW_ORIGINS": "https://page.example"}
    server = GatewayServer(tmp_path, api_environment | origins)
    server.start()
    api_services.objects.allow_origins(["https://page.example"])
    yield server
    server.stop()


def test_a_page_on_another_origin_can_upload_and_download(open_gateway: GatewayServer) -> None:
    origin = {"Origin": "https://page.example"}
    asks = origin | {
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "content-type,idempotency-key",
    }
    allowed = httpx.options(f"{open_gateway.url}/api/uploads", headers=asks)
    assert allowed.headers["Access-Control-Allow-Origin"] == "https://page.example"
    assert "idempotency-key" in allowed.headers["Access-Control-Allow-Headers"].lower()
    place = httpx.post(f"{open_gateway.url}/api/uploads", json=PROMISE, headers=origin).json()["data"]
    preflight = origin | {
        "Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": "content-type",
    }  # fmt: skip
    bucket = httpx.options(place["url"], headers=preflight)
    assert bucket.headers["Access-Control-Allow-Origin"] in ("*", "https://page.example")
    stored = httpx.put(place["url"], content=TEXT, headers=place["headers"] | origin)
    assert stored.status_code == 200
    assert stored.headers["Access-Control-Allow-Origin"] in ("*", "https://page.example")
    stranger = preflight | {"Origin": "https://evil.example"}
    assert "Access-Control-Allow-Origin" not in httpx.options(place["url"], headers=stranger).headers
