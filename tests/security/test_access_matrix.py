"""P44, P47: every route of template.yaml against everyone who could call it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from common.access import Caller
from common.jobs.database import create_indexes
from common.jobs.store import Run
from common.jobs.submit import submit_batch
from common.keys.manage import create_key
from common.services import Services, build
from common.settings import load_settings
from common.webhooks.publish import publish_job
from infra.local.template import http_routes
from tests.servers.gateway import gateway
from tests.servers.mongo import MongoServer
from tests.servers.seaweed import SeaweedServer

SECRET = "the gateway proves itself with this"
READ, WRITE, ADMIN = 1, 2, 3
PUBLIC, OWN, OPERATOR = "public", "own", "operator"  # needs: nothing, an identity, an administrator

# What each route needs. A route of template.yaml that is missing here fails this test.
NEEDS: dict[str, str | int] = {
    "POST /api/jobs": OWN,
    "POST /api/batches": OWN,
    "POST /api/jobs/batch": OWN,
    "POST /api/batches/import": OWN,
    "POST /api/uploads": OWN,
    "POST /api/estimate": OWN,
    "GET /api/jobs": OWN,
    "GET /api/jobs/{job_id}": READ,
    "GET /api/jobs/{job_id}/logs": READ,
    "GET /api/jobs/{job_id}/files": READ,
    "GET /api/jobs/{job_id}/files/{path+}": READ,
    "GET /api/jobs/{job_id}/download-archive": READ,
    "GET /api/jobs/{job_id}/deliveries": WRITE,
    "PUT /api/jobs/{job_id}": WRITE,
    "POST /api/jobs/{job_id}/cancel": WRITE,
    "POST /api/jobs/{job_id}/restart": WRITE,
    "DELETE /api/jobs/{job_id}": ADMIN,
    "GET /api/batches": OWN,
    "GET /api/batches/{batch_id}": READ,
    "GET /api/batch/{batch_id}": READ,
    "GET /api/batches/{batch_id}/download-archive": READ,
    "POST /api/batches/{batch_id}/cancel": WRITE,
    "POST /api/batches/{batch_id}/retry-failed": WRITE,
    "POST /api/batches/{batch_id}/archive": WRITE,
    "POST /api/batches/{batch_id}/toggle-active": WRITE,
    "DELETE /api/batches/{batch_id}": ADMIN,
    "POST /api/deliveries/{delivery_id}/redeliver": WRITE,
    "POST /api/webhooks/test": WRITE,
    "POST /api/keys": OPERATOR,
    "GET /api/keys": OPERATOR,
    "DELETE /api/keys/{key_id}": OPERATOR,
    "GET /api/templates": OWN,
    "GET /api/job-types": OWN,
    "POST /api/session/process": OWN,
    "GET /api/pdf/text-content/{path+}": READ,
    "GET /api/files/text/{path+}": READ,
    "GET /health": PUBLIC,
    "GET /ready": PUBLIC,
    "GET /docs": PUBLIC,
    "GET /api/openapi.json": PUBLIC,
    "GET /monitoring/events": PUBLIC,
    "GET /monitoring/assets/{path+}": PUBLIC,
    "GET /api/monitoring/events/stats": OWN,
    "GET /metrics": OPERATOR,
    # The old routes
    "POST /api/event-job/jobs": OWN,
    "POST /api/event-job/submit": OWN,
    "POST /api/event-job/batches": OWN,
    "POST /api/events/jobs": OWN,
    "POST /api/events/batches": OWN,
    "GET /api/event-job/jobs": OWN,
    "GET /api/event-job/batches": OWN,
    "GET /api/events/jobs": OWN,
    "GET /api/events/batches": OWN,
    "GET /api/event-job/jobs/{job_id}": READ,
    "GET /api/event-job/status/{job_id}": READ,
    "GET /api/event-job/jobs/{job_id}/download-archive": READ,
    "GET /api/event-job/batches/{batch_id}": READ,
    "GET /api/event-job/files/{path+}": READ,
    "GET /api/events/jobs/{job_id}": READ,
    "GET /api/events/jobs/{job_id}/download-archive": READ,
    "GET /api/events/batches/{batch_id}": READ,
    "GET /api/events/files/{path+}": READ,
    "PUT /api/events/jobs/{job_id}": WRITE,
    "POST /api/event-job/{job_id}/restart": WRITE,
    "POST /api/event-job/jobs/{job_id}/restart": WRITE,
    "POST /api/event-job/batches/{batch_id}/archive": WRITE,
    "POST /api/event-job/batches/{batch_id}/toggle-active": WRITE,
    "DELETE /api/event-job/jobs/{job_id}": ADMIN,
    "DELETE /api/events/jobs/{job_id}": ADMIN,
    "DELETE /api/event-job/batches/{batch_id}": ADMIN,
    "DELETE /api/events/batches/{batch_id}": ADMIN,
}

# Who calls: name, groups, the right on the thing. The anonymous one comes without the gateway's proof.
CALLERS: dict[str, tuple[str, int]] = {
    "anonymous": ("", 0),
    "stranger": ("others", 0),
    "teammate": ("crew", READ),
    "reader": ("", READ),
    "writer": ("", WRITE),
    "lister": ("chiefs", ADMIN),
    "owner": ("crew", ADMIN),
    "operator": ("operators", ADMIN),
}
RULES = {
    "visibility": "team",
    "read_access": ["reader"],
    "write_access": ["writer"],
    "admin_access": ["chiefs"],
}
BODIES: dict[str, dict[str, Any]] = {
    "PUT": {"tags": ["seen"]},
    "POST /api/keys": {"user_id": "anna"},
}


@dataclass(frozen=True)
class Thing:
    """One batch with one completed job, its file, its archive and a webhook that was sent."""

    job_id: str
    batch_id: str
    delivery_id: str
    key_id: str
    cached: str

    def path(self, route: str) -> str:
        inside = "a.md" if "{job_id}" in route else self.cached if "text" in route else f"{self.job_id}/a.md"
        inside = "app.js" if "assets" in route else inside
        filled = route.replace("{path+}", inside)
        for name in ("job_id", "batch_id", "delivery_id", "key_id"):
            filled = filled.replace(f"{{{name}}}", getattr(self, name))
        return filled


UNKNOWN = Thing(
    job_id="job-unknown",
    batch_id="batch-unknown",
    delivery_id="msg_unknown",
    key_id="0" * 16,
    cached=f"cache/pdf/{'0' * 64}/native/page_001.txt",
)


@dataclass(frozen=True)
class House:
    """The running gateway, and the stores behind it."""

    api: httpx.Client
    services: Services

    def call(self, who: str, route: str, thing: Thing, **headers: str) -> httpx.Response:
        method, path = route.split(" ")
        body = BODIES.get(route, BODIES.get(method, {}))
        if route == "POST /api/webhooks/test":
            body = {"job_id": thing.job_id}
        identity = {"X-User-ID": who, "X-User-Groups": CALLERS[who][0]}
        proof = {} if who == "anonymous" else {"X-Gateway-Secret": SECRET}
        wanted = identity | proof | headers
        content = {"json": body} if method in ("POST", "PUT") else {}
        return self.api.request(method, thing.path(path), headers=wanted, **content)  # type: ignore[arg-type]

    def new_thing(self) -> Thing:
        owner = Caller(user_id="owner", groups=frozenset({"crew"}))
        job = {"job_type": "pdf", "parameters": {"url": "https://x.example/a.pdf"}}
        hook = {"url": "http://127.0.0.1:9/hook", "events": ["job.completed", "batch.completed"]}
        body = {"jobs": [job], "access_control": RULES, "webhook": hook}
        batch, (job_id,) = submit_batch(self.services, owner, body, key=None)
        cached = f"cache/pdf/{hashlib.sha256(job_id.encode()).hexdigest()}/native/page_001.txt"
        for key in (cached, f"jobs/{job_id}/1/a.md", f"archives/{job_id}/1/a.zip"):
            self.services.objects.put(key, b"content", "text/plain")
        claimed = self.services.jobs.claim(job_id, "worker")
        assert claimed is not None
        stored = {"size": 7, "sha256": "0" * 64, "media_type": "text/markdown"}
        archive = {"key": f"archives/{job_id}/1/a.zip", "filename": "a.zip", "size": 7, "sha256": "0" * 64}
        assert self.services.jobs.complete(
            Run(job_id=job_id, attempt=claimed.attempt, worker_id="worker"),
            results={"markdown_file": "a.md", "archive": archive},
            files=[
                stored | {"path": "a.md", "key": f"jobs/{job_id}/1/a.md"},
                stored | {"path": "page_001.txt", "key": cached},
            ],
            cache_prefixes=[cached.rpartition("/")[0]],
            progress={"step": "completed", "percent": 100, "message": ""},
            expires_after=None,
        )
        self.services.batches.close_if_done(batch.batch_id)
        self.services.batches.set_archive(batch.batch_id, archive | {"version": batch.version, "members": 1})
        publish_job(self.services, job_id)
        (delivery,) = self.services.deliveries.of_job(job_id, limit=1, skip=0)
        _, made = create_key(self.services, Caller(user_id="o", is_admin=True), {"user_id": "anna"})
        return Thing(job_id, batch.batch_id, delivery.delivery_id, made.key_id, cached)


@pytest.fixture(scope="module")
def house(
    mongo_server: MongoServer, object_server: SeaweedServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[House]:
    environment = object_server.environment | {
        "MONGODB_URI": mongo_server.uri,
        "MONGODB_DB_NAME": "access-matrix",
        "SECRETARY_ACCESS__MODE": "gateway",
        "SECRETARY_ACCESS__GATEWAY_SECRET": SECRET,
        "SECRETARY_ACCESS__ADMIN_GROUPS": "operators",
        "SECRETARY_OUTBOUND__ALLOW_NETWORKS": "127.0.0.0/8",
        "SECRETARY_WEBHOOKS__SECRET_KEYS": "a key of thirty-two characters or more",
        "SECRETARY_HTTP__THREADS": "4",
        "SECRETARY_RATE_LIMITS__REQUESTS_PER_MINUTE": "null",
    }
    services = build(load_settings(environment))
    create_indexes(services.database)
    folder = tmp_path_factory.mktemp("gateway")
    with gateway(environment, folder) as url, httpx.Client(base_url=url, timeout=30) as api:
        yield House(api, services)
    services.database.client.drop_database("access-matrix")
    services.close()


ROUTES = [f"{route.method} {route.path}" for route in http_routes()]


def test_every_route_says_what_it_needs() -> None:
    assert [route for route in ROUTES if route not in NEEDS] == []


@pytest.mark.parametrize("route", ROUTES)
def test_each_caller_gets_what_its_right_allows(house: House, route: str) -> None:
    needed, thing = NEEDS[route], house.new_thing()
    for who, (_, right) in CALLERS.items():
        answer = house.call(who, route, thing)
        if answer.is_success and not route.startswith("GET"):
            thing = house.new_thing()  # this one may be gone
        told = f"{who}: {answer.status_code} {answer.text[:300]}"
        if needed == PUBLIC:
            assert answer.status_code not in (401, 403, 404, 500), told
        elif who == "anonymous":
            assert answer.status_code == 401, told
        elif needed == OPERATOR:
            assert (answer.status_code == 403) == (who != "operator"), told
        elif isinstance(needed, int) and right == 0:
            assert answer.status_code == 404, told
        elif isinstance(needed, int) and right < needed:
            assert answer.status_code == 403, told
        else:
            assert answer.status_code not in (401, 403, 404, 500), told


@pytest.mark.parametrize("route", [route for route in ROUTES if isinstance(NEEDS.get(route), int)])
def test_someone_elses_thing_answers_like_one_that_does_not_exist(house: House, route: str) -> None:
    foreign = house.call("stranger", route, house.new_thing())
    unknown = house.call("stranger", route, UNKNOWN)

    assert foreign.status_code == unknown.status_code == 404
    assert _told(foreign) == _told(unknown)


def test_lists_hold_only_what_their_caller_may_read(house: House) -> None:
    thing = house.new_thing()
    for who, (_, right) in CALLERS.items():
        if who == "anonymous":
            continue
        for route, name in (("GET /api/jobs", thing.job_id), ("GET /api/batches", thing.batch_id)):
            text = house.call(who, route, thing).text
            assert (name in text) == (right >= READ), f"{who} {route}"


@pytest.mark.parametrize(
    "headers",
    [
        {"X-User-ID": "owner"},
        {"X-User-ID": "operator", "X-User-Groups": "operators"},
        {"X-User-ID": "owner", "X-Gateway-Secret": "guessed"},
        {"Authorization": "Bearer owner"},
        {"X-Forwarded-User": "owner"},
    ],
)
def test_an_identity_without_the_gateways_proof_counts_for_nothing(
    house: House, headers: dict[str, str]
) -> None:
    answer = house.api.get("/api/jobs", headers=headers)

    assert answer.status_code == 401
    assert answer.json()["error"]["code"] == "UNAUTHORIZED"


def test_a_body_cannot_say_who_is_calling(house: House) -> None:
    body = {
        "job_type": "pdf",
        "parameters": {"url": "https://x.example/a.pdf"},
        "user_id": "owner",
    }
    headers = {"X-Gateway-Secret": SECRET, "X-User-ID": "stranger"}
    foreign = house.api.post("/api/jobs", json=body, headers=headers)
    own = house.api.post("/api/jobs", json=body | {"user_id": "stranger"}, headers=headers)

    assert foreign.status_code == 403
    assert own.json()["job"]["user_id"] == "stranger"


def _told(answer: httpx.Response) -> dict[str, Any]:
    """The body without what tells one request from another."""
    body: dict[str, Any] = answer.json()
    del body["process"], body["request"]
    if isinstance(body["error"], dict):
        del body["error"]["request_id"]
    body.pop("request_id", None)
    return body
