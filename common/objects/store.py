"""The object store behind a few typed calls. Uploads are streamed; URLs are signed on read only."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from common.clock import Clock, utc_now
from common.errors import NotFound, Unavailable
from common.settings import Objects

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

CHUNK_BYTES = 1024 * 1024
PART_BYTES = 8 * 1024 * 1024  # S3 takes no part below 5 MB
DEFAULT_REGION = "us-east-1"  # the one region that S3 does not want to be named
TAKEN = (409, 412)  # the answers to "only if it is not there"; the first while another writes it
DELETE_AT_ONCE = 1_000  # keys in one DeleteObjects call


@dataclass(frozen=True, kw_only=True)
class StoredObject:
    """An object that has been written."""

    key: str
    size: int
    sha256: str


@dataclass(frozen=True, kw_only=True)
class SignedUrl:
    """A URL that works for a while; never logged and never stored."""

    url: str
    expires_at: datetime

    def __repr__(self) -> str:
        return f"SignedUrl(expires_at={self.expires_at})"


class ObjectStore:
    """One bucket. boto3 is loaded on first use: an API function that only reads a job never does."""

    def __init__(self, options: Objects, clock: Clock = utc_now) -> None:
        self._options = options
        self._clock = clock

    def put(self, key: str, data: bytes, media_type: str) -> StoredObject:
        with _outages():
            self._s3().put_object(Bucket=self._options.bucket, Key=key, Body=data, ContentType=media_type)
        return StoredObject(key=key, size=len(data), sha256=hashlib.sha256(data).hexdigest())

    def put_new(self, key: str, data: bytes, media_type: str) -> StoredObject | None:
        """None where the key is taken: of two who write at once, one does."""
        from botocore.exceptions import ClientError

        options = {"Bucket": self._options.bucket, "Key": key, "ContentType": media_type, "IfNoneMatch": "*"}
        with _outages():
            try:
                self._s3().put_object(**options, Body=data)  # type: ignore[arg-type]
            except ClientError as error:
                if error.response["ResponseMetadata"]["HTTPStatusCode"] in TAKEN:
                    return None
                raise
        return StoredObject(key=key, size=len(data), sha256=hashlib.sha256(data).hexdigest())

    def put_file(self, key: str, path: Path, media_type: str) -> StoredObject:
        with path.open("rb") as file:
            return self.put_stream(key, iter(lambda: file.read(CHUNK_BYTES), b""), media_type)

    def put_stream(self, key: str, chunks: Iterable[bytes], media_type: str) -> StoredObject:
        """In parts, so that memory stays flat however large the object; all or nothing."""
        from boto3.s3.transfer import TransferConfig

        body = _Readable(chunks)
        config = TransferConfig(
            multipart_threshold=PART_BYTES,
            multipart_chunksize=PART_BYTES,
            max_concurrency=2,
            use_threads=False,
        )
        with _outages():
            self._s3().upload_fileobj(
                body,  # type: ignore[arg-type]
                self._options.bucket,
                key,
                ExtraArgs={"ContentType": media_type},
                Config=config,
            )
        return StoredObject(key=key, size=body.size, sha256=body.digest.hexdigest())

    def get(self, key: str) -> bytes:
        return b"".join(self.stream(key))

    def stream(self, key: str) -> Iterator[bytes]:
        with _outages():
            body = self._s3().get_object(Bucket=self._options.bucket, Key=key)["Body"]
            yield from body.iter_chunks(CHUNK_BYTES)

    def size(self, key: str) -> int:
        """Raises NotFound when there is no such object."""
        with _outages():
            return int(self._s3().head_object(Bucket=self._options.bucket, Key=key)["ContentLength"])

    def listing(self, prefix: str) -> Iterator[tuple[str, int]]:
        """Key and size of every object below a prefix."""
        with _outages():
            pages = (
                self._s3()
                .get_paginator("list_objects_v2")
                .paginate(Bucket=self._options.bucket, Prefix=prefix)
            )
            for page in pages:
                for item in page.get("Contents", []):
                    yield item["Key"], item["Size"]

    def delete_prefix(self, prefix: str) -> None:
        """Raises when anything is left: the caller keeps what leads to it, and tries again later."""
        keys = [key for key, _ in self.listing(prefix)]
        for start in range(0, len(keys), DELETE_AT_ONCE):
            batch = [{"Key": key} for key in keys[start : start + DELETE_AT_ONCE]]
            with _outages():
                answer = self._s3().delete_objects(
                    Bucket=self._options.bucket,
                    Delete={"Objects": batch, "Quiet": True},  # type: ignore[typeddict-item]
                )
            if left := answer.get("Errors"):
                reasons = ", ".join(sorted({one.get("Code", "unknown") for one in left}))
                raise Unavailable(f"The object store did not delete {len(left)} objects: {reasons}.")

    def sign_download(self, key: str, *, disposition: str, media_type: str) -> SignedUrl:
        """Bound to GET and this key; the caller has already checked who asks."""
        parameters = {
            "Bucket": self._options.bucket,
            "Key": key,
            "ResponseContentDisposition": disposition,
            "ResponseContentType": media_type,
        }
        return self._sign("get_object", parameters)

    def sign_upload(self, key: str, *, size: int, media_type: str) -> SignedUrl:
        """Bound to PUT, this key, this size and this type."""
        parameters = {
            "Bucket": self._options.bucket,
            "Key": key,
            "ContentLength": size,
            "ContentType": media_type,
        }
        return self._sign("put_object", parameters)

    def check(self) -> None:
        if not self._has_bucket():
            raise Unavailable(f"The object store has no bucket {self._options.bucket}.")

    def create_bucket(self) -> bool:
        """For the embedded store and tests; in a cloud the bucket is infrastructure. False: it was there."""
        if self._has_bucket():
            return False
        elsewhere: Any = {"CreateBucketConfiguration": {"LocationConstraint": self._options.region}}
        with _outages():
            self._s3().create_bucket(
                Bucket=self._options.bucket,
                **(elsewhere if self._options.region != DEFAULT_REGION else {}),
            )
        return True

    def _has_bucket(self) -> bool:
        try:
            with _outages():
                self._s3().head_bucket(Bucket=self._options.bucket)
        except NotFound:
            return False
        return True

    def allow_origins(self, origins: list[str]) -> None:
        """So that a browser page on another origin can upload and download."""
        rule: Any = {
            "AllowedOrigins": origins,
            "AllowedMethods": ["GET", "PUT", "HEAD"],
            "AllowedHeaders": ["*"],
            "ExposeHeaders": ["ETag", "Content-Length", "Content-Disposition"],
            "MaxAgeSeconds": 3600,
        }
        with _outages():
            self._s3().put_bucket_cors(
                Bucket=self._options.bucket,
                CORSConfiguration={"CORSRules": [rule]},
            )

    def _sign(self, operation: str, parameters: dict[str, Any]) -> SignedUrl:
        seconds = self._options.url_expires_seconds
        client = self._s3(self._options.public_endpoint_url or self._options.endpoint_url)
        url = client.generate_presigned_url(operation, Params=parameters, ExpiresIn=seconds)
        return SignedUrl(url=url, expires_at=self._clock() + timedelta(seconds=seconds))

    def _s3(self, endpoint_url: str | None = None) -> S3Client:
        return _client(self._options, endpoint_url or self._options.endpoint_url)


@lru_cache(maxsize=8)
def _client(options: Objects, endpoint: str | None) -> S3Client:
    """One for each place and process: making one costs more than most of what is asked of it."""
    import boto3
    from botocore.config import Config

    secret, token = options.secret_access_key, options.session_token
    return boto3.session.Session().client(
        "s3",
        endpoint_url=endpoint,
        region_name=options.region,
        aws_access_key_id=options.access_key_id,
        aws_secret_access_key=secret.get_secret_value() if secret else None,
        aws_session_token=token.get_secret_value() if token else None,
        config=Config(
            signature_version="s3v4",
            s3={"addressing_style": "path" if endpoint else "auto"},
            retries={"max_attempts": 4, "mode": "standard"},
            connect_timeout=5,
            read_timeout=60,
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
        ),
    )


class _Readable(io.RawIOBase):
    """Chunks as a file that boto3 can read from, counted and hashed on the way."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = iter(chunks)
        self._rest = b""
        self.size = 0
        self.digest = hashlib.sha256()

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        parts, have = [self._rest], len(self._rest)
        while size < 0 or have < size:
            chunk = next(self._chunks, None)
            if chunk is None:
                break
            parts.append(chunk)
            have += len(chunk)
        data = b"".join(parts)
        wanted = data if size < 0 else data[:size]
        self._rest = data[len(wanted) :]
        self.size += len(wanted)
        self.digest.update(wanted)
        return wanted


class _outages:  # noqa: N801 - reads as a clause: with _outages()
    """Turns what boto3 raises into our errors: not found, or not available now."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if error is None:
            return
        from botocore.exceptions import BotoCoreError, ClientError

        if isinstance(error, ClientError) and error.response["Error"]["Code"] in (
            "404",
            "NoSuchKey",
            "NotFound",
        ):
            raise NotFound("The object store has no such object.") from None
        if isinstance(error, ClientError):
            reason = error.response["Error"]["Code"]
            raise Unavailable(f"The object store refuses to work: {reason}.") from error
        if isinstance(error, BotoCoreError):
            raise Unavailable(f"The object store does not answer: {type(error).__name__}.") from error
