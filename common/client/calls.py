"""Every call of the API as data: what is sent, and what of the answer is handed out. No I/O here."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar
from urllib.parse import quote

Answered = TypeVar("Answered")
Json = dict[str, Any]
FINAL = frozenset({"completed", "failed", "cancelled"})
FINAL_BATCH = FINAL | {"partial"}
WAIT_SECONDS = 20


@dataclass(frozen=True, kw_only=True)
class Call(Generic[Answered]):
    """One request; `repeatable` says that sending it twice does no harm."""

    method: str
    path: str
    read: Callable[[Json], Answered]
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Json | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    repeatable: bool = True


def _part(name: str) -> Callable[[Json], Any]:
    return lambda envelope: envelope[name]


def _data(name: str | None = None) -> Callable[[Json], Any]:
    return lambda envelope: envelope["data"] if name is None else envelope["data"][name]


def _get(path: str, read: Callable[[Json], Any], **query: Any) -> Call[Any]:
    return Call(method="GET", path=path, read=read, query=given(query))


def _create(path: str, read: Callable[[Json], Any], body: Json) -> Call[Any]:
    """A key of its own makes a repeated create harmless."""
    key = {"Idempotency-Key": uuid.uuid4().hex}
    return Call(method="POST", path=path, read=read, body=body, headers=key)


def _change(path: str, read: Callable[[Json], Any], body: Json | None = None) -> Call[Any]:
    return Call(method="POST", path=path, read=read, body=body or {}, repeatable=False)


def given(values: Mapping[str, Any]) -> Json:
    return {name: value for name, value in values.items() if value is not None}


def _job(job_id: str, *more: str) -> str:
    return "/".join(("/api/jobs", quote(job_id, safe=""), *more))


def _batch(batch_id: str, *more: str) -> str:
    return "/".join(("/api/batches", quote(batch_id, safe=""), *more))


def create_job(job_type: str, parameters: Json, options: Json) -> Call[Json]:
    return _create("/api/jobs", _part("job"), {"job_type": job_type, "parameters": parameters, **options})


def create_batch(jobs: list[Json], options: Json) -> Call[Json]:
    return _create("/api/batches", _part("batch"), {"jobs": jobs, **options})


def import_schedule(body: Json) -> Call[Json]:
    return _create("/api/batches/import", _data(), body)


def estimate(job_type: str, parameters: Json) -> Call[Json]:
    return _change("/api/estimate", _data(), {"job_type": job_type, "parameters": parameters})


def job(job_id: str, *, wait: int | None = None, since: int | None = None) -> Call[Json]:
    return _get(_job(job_id), _part("job"), wait=wait, since=since)


def jobs(filters: Json) -> Call[Json]:
    return _get("/api/jobs", _data(), **filters)


def logs(job_id: str) -> Call[list[Json]]:
    return _get(_job(job_id, "logs"), _data("logs"), limit=200)


def files(job_id: str) -> Call[list[Json]]:
    return _get(_job(job_id, "files"), _data("files"))


def cancel(job_id: str) -> Call[Json]:
    return _change(_job(job_id, "cancel"), _part("job"))


def restart(job_id: str, options: Json) -> Call[Json]:
    return _change(_job(job_id, "restart"), _part("job"), options)


def delete(job_id: str) -> Call[Json]:
    return Call(method="DELETE", path=_job(job_id), read=_data())


def archive_address(job_id: str) -> Call[Json]:
    return _get(_job(job_id, "download-archive"), _data(), redirect="false")


def file_address(job_id: str, path: str) -> Call[Json]:
    return _get(_job(job_id, "files", quote(path)), _data(), redirect="false")


def batch(batch_id: str, *, wait: int | None = None, since: str | None = None) -> Call[Json]:
    return _get(_batch(batch_id), _part("batch"), wait=wait, since=since)


def batches(filters: Json) -> Call[Json]:
    return _get("/api/batches", _data(), **filters)


def batch_archive_address(batch_id: str) -> Call[Json]:
    return _get(_batch(batch_id, "download-archive"), _data(), redirect="false")


def retry_failed(batch_id: str) -> Call[Json]:
    return _change(_batch(batch_id, "retry-failed"), _part("batch"))


def cancel_batch(batch_id: str) -> Call[Json]:
    return _change(_batch(batch_id, "cancel"), _part("batch"))


def set_batch_active(batch_id: str, *, active: bool) -> Call[Json]:
    """To the same state twice is the same as once."""
    body = {"isActive": active}
    return Call(method="POST", path=_batch(batch_id, "toggle-active"), read=_part("batch"), body=body)


def delete_batch(batch_id: str) -> Call[Json]:
    return Call(method="DELETE", path=_batch(batch_id), read=_data())


def deliveries(job_id: str) -> Call[list[Json]]:
    return _get(_job(job_id, "deliveries"), _data("deliveries"), limit=200)


def redeliver(delivery_id: str) -> Call[Json]:
    return _change(f"/api/deliveries/{quote(delivery_id, safe='')}/redeliver", _data())


def new_upload(filename: str, size: int, content_type: str) -> Call[Json]:
    body = {"filename": filename, "size": size, "content_type": content_type}
    return _create("/api/uploads", _data(), body)


def job_types() -> Call[list[Json]]:
    return _get("/api/job-types", _data("job_types"))


def templates() -> Call[list[Json]]:
    return _get("/api/templates", _data("templates"))


def statistics() -> Call[Json]:
    return _get("/api/monitoring/events/stats", _data())
