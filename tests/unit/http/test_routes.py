"""template.yaml, the routers and the list of routes the service promises: three views of one thing."""

from __future__ import annotations

import importlib

from common.http.router import PLATFORM
from infra.local.template import http_routes

OLD = {
    ("POST", "/api/event-job/jobs"), ("GET", "/api/event-job/jobs"),
    ("GET", "/api/event-job/jobs/{job_id}"), ("DELETE", "/api/event-job/jobs/{job_id}"),
    ("GET", "/api/event-job/jobs/{job_id}/download-archive"),
    ("POST", "/api/event-job/batches"), ("GET", "/api/event-job/batches"),
    ("GET", "/api/event-job/batches/{batch_id}"), ("DELETE", "/api/event-job/batches/{batch_id}"),
    ("POST", "/api/event-job/batches/{batch_id}/archive"),
    ("POST", "/api/event-job/batches/{batch_id}/toggle-active"),
    ("POST", "/api/event-job/{job_id}/restart"), ("POST", "/api/event-job/jobs/{job_id}/restart"),
    ("GET", "/api/event-job/files/{path+}"), ("POST", "/api/event-job/submit"),
    ("GET", "/api/event-job/status/{job_id}"),
    ("POST", "/api/events/jobs"), ("GET", "/api/events/jobs"),
    ("GET", "/api/events/jobs/{job_id}"), ("PUT", "/api/events/jobs/{job_id}"),
    ("DELETE", "/api/events/jobs/{job_id}"), ("GET", "/api/events/jobs/{job_id}/download-archive"),
    ("POST", "/api/events/batches"), ("GET", "/api/events/batches"),
    ("GET", "/api/events/batches/{batch_id}"), ("DELETE", "/api/events/batches/{batch_id}"),
    ("GET", "/api/events/files/{path+}"),
}  # fmt: skip
NEW = {
    ("POST", "/api/jobs"), ("POST", "/api/batches"), ("POST", "/api/jobs/batch"),
    ("POST", "/api/batches/import"), ("POST", "/api/uploads"), ("POST", "/api/estimate"),
    ("GET", "/api/jobs"), ("GET", "/api/jobs/{job_id}"), ("GET", "/api/jobs/{job_id}/logs"),
    ("GET", "/api/batches"), ("GET", "/api/batches/{batch_id}"), ("GET", "/api/batch/{batch_id}"),
    ("PUT", "/api/jobs/{job_id}"), ("DELETE", "/api/jobs/{job_id}"), ("DELETE", "/api/batches/{batch_id}"),
    ("POST", "/api/jobs/{job_id}/cancel"), ("POST", "/api/jobs/{job_id}/restart"),
    ("POST", "/api/batches/{batch_id}/cancel"), ("POST", "/api/batches/{batch_id}/retry-failed"),
    ("POST", "/api/batches/{batch_id}/archive"), ("POST", "/api/batches/{batch_id}/toggle-active"),
    ("GET", "/api/jobs/{job_id}/download-archive"), ("GET", "/api/batches/{batch_id}/download-archive"),
    ("GET", "/api/jobs/{job_id}/files"), ("GET", "/api/jobs/{job_id}/files/{path+}"),
    ("GET", "/api/jobs/{job_id}/deliveries"), ("POST", "/api/deliveries/{delivery_id}/redeliver"),
    ("POST", "/api/webhooks/test"),
    ("POST", "/api/keys"), ("GET", "/api/keys"), ("DELETE", "/api/keys/{key_id}"),
    ("GET", "/api/templates"), ("GET", "/api/job-types"), ("POST", "/api/session/process"),
    ("GET", "/api/pdf/text-content/{path+}"), ("GET", "/api/files/text/{path+}"),
    ("GET", "/monitoring/events"),
    ("GET", "/monitoring/assets/{path+}"), ("GET", "/api/monitoring/events/stats"),
    ("GET", "/metrics"), ("GET", "/health"), ("GET", "/ready"),
    ("GET", "/api/openapi.json"), ("GET", "/docs"),
}  # fmt: skip


def routed() -> dict[str, set[tuple[str, str]]]:
    """By function, what its router answers, without what only queue and timer call."""
    names = sorted({route.function for route in http_routes()})
    routers = {name: importlib.import_module(f"functions.{name}.routes").router for name in names}
    return {
        name: {(route.method, route.path) for route in router.routes if route.path not in PLATFORM}
        for name, router in routers.items()
    }


def declared() -> dict[str, set[tuple[str, str]]]:
    found: dict[str, set[tuple[str, str]]] = {}
    for route in http_routes():
        found.setdefault(route.function, set()).add((route.method, route.path))
    return found


def test_the_template_declares_what_each_function_answers() -> None:
    assert declared() == routed()


def test_every_promised_route_is_declared_once() -> None:
    rows = [(route.method, route.path) for route in http_routes()]
    assert len(rows) == len(set(rows))
    assert set(rows) == OLD | NEW
