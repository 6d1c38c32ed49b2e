"""Use-cases: promise an upload, let a job use it, remove what nobody uses any more."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Annotated, Any

from pydantic import Field

from common.access import Caller, owner_of_new
from common.errors import Conflict, NotFound
from common.jobs.database import Document
from common.jobs.idempotency import idempotency, insert_once
from common.jobs.requests import Body, Name, parse_body, wrong_field
from common.names import safe_name
from common.objects import keys
from common.objects.store import SignedUrl
from common.services import Services
from common.uploads.store import Upload

SINGLE_PUT_BYTES = 5 * 1024**3  # more than this S3 takes only in parts
LOOK_TOGETHER = 8
MIME_TYPE = r"^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}$"


class UploadRequest(Body):
    """A file that will be sent; the URL takes exactly this size and type."""

    filename: Annotated[str, Field(min_length=1, max_length=500)]
    size: Annotated[int, Field(ge=1, le=SINGLE_PUT_BYTES)]
    content_type: Annotated[str, Field(pattern=MIME_TYPE)] = "application/octet-stream"
    user_id: Name | None = None


def create_upload(
    services: Services, caller: Caller, body: dict[str, Any], *, key: str | None
) -> tuple[Upload, SignedUrl]:
    """The same key gives the same upload, with a fresh URL."""
    request = parse_body(UploadRequest, body)
    at_most = services.settings.limits.upload_bytes
    if request.size > at_most:
        raise wrong_field("size", f"expected at most {at_most} bytes, found {request.size}")
    now = services.clock()
    document: Document = {
        "_id": services.new_id("upload"),
        "user_id": owner_of_new(caller, request.user_id),
        "filename": safe_name(request.filename, fallback="document"),
        "size": request.size,
        "content_type": request.content_type,
        "created_at": now,
        "expires_at": now + timedelta(hours=services.settings.retention.upload_hours),
        "confirmed": False,
        "idempotency": idempotency(caller, key, body, now),
    }
    known = insert_once(
        lambda: services.uploads.insert(document),
        wanted=document["idempotency"],
        lifetime=timedelta(hours=services.settings.jobs.idempotency_hours),
        known=services.uploads.by_idempotency_key,
        forget=lambda upload: services.uploads.forget_key(upload.upload_id),
    )
    upload = known or Upload.from_document(document)
    signed = services.objects.sign_upload(_key(upload), size=upload.size, media_type=upload.content_type)
    return upload, signed


def use_uploads(services: Services, owner: str, parameters: Sequence[dict[str, Any]]) -> None:
    """Before jobs are stored: each upload is the owner's and has arrived, and stays as long as its job."""
    wanted = sorted({item["upload_id"] for item in parameters if item.get("upload_id")})
    if not wanted:
        return
    found = {upload.upload_id: upload for upload in services.uploads.of_user(owner, wanted)}
    for upload_id in wanted:
        if upload_id not in found:
            raise NotFound("There is no such upload.", details={"upload_id": upload_id})
    with ThreadPoolExecutor(LOOK_TOGETHER) as pool:
        list(pool.map(lambda upload: _confirm(services, upload), found.values()))
    if services.uploads.keep(wanted, until=_needed_until(services)) != len(wanted):
        raise NotFound("An upload has expired meanwhile; send the file again.")


def remove_expired_uploads(services: Services, *, limit: int) -> int:
    """The document first, because a job may take the upload in this very moment; then its bytes."""
    removed = 0
    for upload in services.uploads.expired(limit=limit):
        if services.uploads.delete(upload):
            services.objects.delete_prefix(keys.upload_prefix(upload.user_id, upload.upload_id))
            removed += 1
    return removed


def _confirm(services: Services, upload: Upload) -> None:
    if upload.confirmed:
        return
    try:
        size = services.objects.size(_key(upload))
    except NotFound:
        raise Conflict(
            f"The file of upload {upload.upload_id} has not arrived yet; expected {upload.size} bytes.",
            details={"upload_id": upload.upload_id},
        ) from None
    if size != upload.size:
        raise Conflict(f"Upload {upload.upload_id} has {size} bytes; {upload.size} were promised.")


def _needed_until(services: Services) -> datetime | None:
    """As long as a finished job of it may be kept and restarted."""
    retention = services.settings.retention
    days = (retention.completed_days, retention.failed_days)
    known = [number for number in days if number is not None]
    return services.clock() + timedelta(days=max(known)) if len(known) == len(days) else None


def _key(upload: Upload) -> str:
    return keys.upload(upload.user_id, upload.upload_id, upload.filename)
