"""Use-cases: announce a file, check that a job's file has arrived, and clear away what nobody needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from common.access import Caller, owner_of_new
from common.errors import NotFound, ValidationFailed
from common.jobs.idempotency import idempotency, insert_once
from common.jobs.requests import parse_body, wrong_field
from common.names import safe_name
from common.objects import keys
from common.objects.store import SignedUrl
from common.services import Services
from common.uploads.request import UploadRequest
from common.uploads.store import Upload

LOOK_TOGETHER = 8  # uploads; a batch may name many


@dataclass(frozen=True, kw_only=True)
class Announced:
    upload: Upload
    signed: SignedUrl

    def as_data(self) -> dict[str, Any]:
        return {
            "upload_id": self.upload.upload_id,
            "url": self.signed.url,
            "method": "PUT",
            "headers": {"Content-Type": self.upload.content_type, "Content-Length": str(self.upload.size)},
            "expires_at": self.signed.expires_at,
        }


def announce_upload(
    services: Services, caller: Caller, body: dict[str, Any], *, key: str | None
) -> Announced:
    """The URL is bound to PUT, one key, the size and the type; a repeated call gets a fresh one."""
    request = parse_body(UploadRequest, body)
    most = services.settings.limits.upload_bytes
    if request.size > most:
        raise wrong_field("size", f"expected at most {most} bytes, found {request.size}")
    upload = _upload(services, owner_of_new(caller, request.user_id), request, caller, body, key)
    known = insert_once(
        lambda: services.uploads.insert(upload, created_at=services.clock()),
        wanted=upload.idempotency,
        lifetime=timedelta(hours=services.settings.jobs.idempotency_hours),
        known=services.uploads.by_idempotency_key,
        forget=lambda found: services.uploads.forget_key(found.upload_id),
    )
    upload = known or upload
    signed = services.objects.sign_upload(upload.key, size=upload.size, media_type=upload.content_type)
    return Announced(upload=upload, signed=signed)


def _upload(
    services: Services,
    owner: str,
    request: UploadRequest,
    caller: Caller,
    body: dict[str, Any],
    key: str | None,
) -> Upload:
    upload_id = services.new_id("upload")
    now = services.clock()
    return Upload(
        upload_id=upload_id,
        user_id=owner,
        key=keys.upload(owner, upload_id, safe_name(request.filename, fallback="file")),
        size=request.size,
        content_type=request.content_type,
        expires_at=now + timedelta(days=services.settings.retention.upload_days),
        idempotency=idempotency(caller, key, body, now),
    )


def check_uploads(
    services: Services, owner: str, parameters: Sequence[Mapping[str, Any]], *, where: str
) -> None:
    """Every upload that jobs name exists, is theirs and has arrived, and stays as long as the jobs may.
    `where` is formatted with the place."""
    places = {
        str(one["upload_id"]): place
        for place, one in reversed(list(enumerate(parameters)))
        if "upload_id" in one
    }
    if not places:
        return
    known = services.uploads.owned(places, owner)
    fields = {one: where.format(place=place) + "parameters.upload_id" for one, place in places.items()}
    for upload_id, field in fields.items():
        if upload_id not in known:
            raise wrong_field(field, "expected the id of an upload of yours, found another")
    with ThreadPoolExecutor(LOOK_TOGETHER) as pool:
        list(pool.map(lambda one: _check_arrived(services, known[one], fields[one]), fields))
    if services.uploads.keep(places, until=_needed_until(services)) != len(places):
        raise ValidationFailed("An upload has expired meanwhile; send the file again.")


def _needed_until(services: Services) -> datetime | None:
    """A finished job can be restarted as long as it is kept; so long its source must stay."""
    retention = services.settings.retention
    days = (retention.completed_days, retention.failed_days, retention.upload_days)
    known = [number for number in days if number is not None]
    return services.clock() + timedelta(days=max(known)) if len(known) == len(days) else None


def _check_arrived(services: Services, upload: Upload, field: str) -> None:
    try:
        size = services.objects.size(upload.key)
    except NotFound:
        raise wrong_field(field, "the file has not arrived: send it to the URL of its upload first") from None
    if size != upload.size:
        raise ValidationFailed(f"{field}: expected {upload.size} bytes, found {size} in the object store.")


def remove_expired_uploads(services: Services, *, limit: int) -> int:
    """Retired first, so that no job takes an upload whose file goes; its document last, so that the next
    sweep finds a file that could not be deleted."""
    removed = 0
    for upload in services.uploads.expired(limit=limit):
        if services.uploads.retire(upload):
            services.objects.delete_prefix(upload.key)
            services.uploads.delete(upload.upload_id)
            removed += 1
    return removed
