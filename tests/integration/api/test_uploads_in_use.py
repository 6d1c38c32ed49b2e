"""Uploads that jobs use stay as long as the jobs; pages of other origins can send and fetch files."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from common.access import Caller
from common.errors import Unavailable, ValidationFailed
from common.jobs.submit import submit_batch, submit_job
from common.jobs.sweep import sweep
from common.objects import keys
from common.objects.store import ObjectStore
from common.services import Services
from common.uploads.use import announce_upload, remove_expired_uploads
from infra.local.ports import free_ports
from tests.servers.gateway import GatewayServer
from tests.servers.site import site

TEXT = b"%PDF-1.4 not really"
PROMISE = {"filename": "report.pdf", "size": len(TEXT), "content_type": "application/pdf"}
ORIGIN = "https://page.example"
SCHEDULE = """<schedule><conference><title>Days</title></conference><day date="2025-02-01"><room name="A">
<event id="1"><start>10:00</start><title>{title}</title><url>https://example.org/1</url></event>
</room></day></schedule>"""


def test_unused_uploads_are_swept_and_used_ones_stay(services: Services) -> None:
    caller = Caller(user_id=f"frank-{secrets.token_hex(4)}")
    unused, used = (announce_upload(services, caller, dict(PROMISE), key=None) for _ in range(2))
    for one in (unused, used):
        httpx.put(
            one.signed.url, content=TEXT, headers={"Content-Type": "application/pdf"}
        ).raise_for_status()
    ids = [unused.upload.upload_id, used.upload.upload_id]
    past = services.clock() - timedelta(hours=1)
    services.database["uploads"].update_many({"_id": {"$in": ids}}, {"$set": {"expires_at": past}})
    body = {"jobs": [{"job_type": "pdf", "parameters": {"upload_id": ids[1]}}]}
    submit_batch(services, caller, body, key=None)
    sweep(services)
    left = [list(services.objects.listing(keys.upload_prefix(caller.user_id, one))) for one in ids]
    assert [len(found) for found in left] == [0, 1]
    assert list(services.uploads.owned(ids, caller.user_id)) == ids[1:]


def test_a_file_that_cannot_be_deleted_now_is_deleted_later(services: Services) -> None:
    """And meanwhile no job can use it."""
    caller = Caller(user_id=f"grace-{secrets.token_hex(4)}")
    upload = announce_upload(services, caller, dict(PROMISE), key="first").upload
    services.objects.put(upload.key, TEXT, "application/pdf")
    past = services.clock() - timedelta(hours=1)
    services.database["uploads"].update_one({"_id": upload.upload_id}, {"$set": {"expires_at": past}})
    (nowhere,) = free_ports(1)
    options = services.settings.objects.model_copy(update={"endpoint_url": f"http://127.0.0.1:{nowhere}"})
    with pytest.raises(Unavailable):
        remove_expired_uploads(replace(services, objects=ObjectStore(options)), limit=1_000)

    job = {"job_type": "pdf", "parameters": {"upload_id": upload.upload_id}}
    with pytest.raises(ValidationFailed):
        submit_job(services, caller, job, key=None)
    assert announce_upload(services, caller, dict(PROMISE), key="first").upload.key != upload.key
    sweep(services)
    assert list(services.objects.listing(upload.key)) == []
    assert services.database["uploads"].find_one({"_id": upload.upload_id}) is None


def test_a_repeated_import_is_known_by_its_request(api: httpx.Client, tmp_path: Path) -> None:
    """The schedule may have changed in between; the batch stays the one that was made first."""
    key = {"Idempotency-Key": secrets.token_hex(8)}
    file = tmp_path / "schedule.xml"
    with site(tmp_path) as url:
        file.write_text(SCHEDULE.format(title="Before"))
        first = api.post("/api/batches/import", json={"url": f"{url}/schedule.xml"}, headers=key)
        file.write_text(SCHEDULE.format(title="After"))
        second = api.post("/api/batches/import", json={"url": f"{url}/schedule.xml"}, headers=key)
        other = api.post("/api/batches/import", json={"url": f"{url}/schedule.xml", "limit": 1}, headers=key)
    assert (first.status_code, second.status_code, other.status_code) == (202, 202, 422)
    assert first.json()["data"] == second.json()["data"]


@pytest.fixture
def open_gateway(
    api_services: Services, api_environment: dict[str, str], tmp_path: Path
) -> Iterator[GatewayServer]:
    server = GatewayServer(tmp_path, api_environment | {"SECRETARY_HTTP__ALLOW_ORIGINS": ORIGIN})
    server.start()
    api_services.objects.allow_origins([ORIGIN])
    yield server
    server.stop()


def test_a_page_on_another_origin_can_upload(open_gateway: GatewayServer) -> None:
    asks = {
        "Origin": ORIGIN,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "content-type,idempotency-key",
    }
    allowed = httpx.options(f"{open_gateway.url}/api/uploads", headers=asks)
    assert allowed.headers["Access-Control-Allow-Origin"] == ORIGIN
    assert "idempotency-key" in allowed.headers["Access-Control-Allow-Headers"].lower()
    made = httpx.post(f"{open_gateway.url}/api/uploads", json=PROMISE, headers={"Origin": ORIGIN})
    assert made.headers["Access-Control-Allow-Origin"] == ORIGIN
    place = made.json()["data"]
    sent = httpx.put(place["url"], content=TEXT, headers=place["headers"] | {"Origin": ORIGIN})
    assert sent.status_code == 200
    assert sent.headers["Access-Control-Allow-Origin"] == ORIGIN
