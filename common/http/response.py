"""An answer or an error as Flask sends it: envelope, entity tag, compression."""

from __future__ import annotations

import gzip
from collections.abc import Mapping

import flask

from common.errors import MethodNotAllowed, SecretaryError, Unavailable
from common.http import envelope
from common.http.envelope import Where
from common.http.message import Answer

COMPRESS_FROM_BYTES = 1_400  # what fits into one packet gains nothing
COMPRESSION_LEVEL = 5
COMPRESSIBLE = ("application/json", "text/", "image/svg+xml")
JSON = "application/json"


def accepted(answer: Answer, where: Where, headers: Mapping[str, str]) -> flask.Response:
    if answer.etag is not None and _is_known(answer.etag, headers.get("if-none-match", "")):
        return flask.Response(status=304, headers=_tagged(answer))
    if answer.content is not None:
        content = answer.content
    elif answer.bare is not None:
        content = envelope.encode(answer.bare)
    else:
        content = envelope.encode(envelope.success(answer, where))
    response = flask.Response(content, answer.status, _tagged(answer), content_type=answer.media_type)
    return _compressed(response, headers.get("accept-encoding", ""))


def refused(error: SecretaryError, where: Where, headers: Mapping[str, str]) -> flask.Response:
    content = envelope.encode(envelope.failure(error, where))
    response = flask.Response(content, error.http_status, content_type=JSON)
    if error.retry_after is not None or isinstance(error, Unavailable):
        response.headers["Retry-After"] = str(round(error.retry_after or 5))
    if isinstance(error, MethodNotAllowed):
        response.headers["Allow"] = ", ".join(error.details.get("allowed", ()))
    return _compressed(response, headers.get("accept-encoding", ""))


def _tagged(answer: Answer) -> dict[str, str]:
    headers = dict(answer.headers)
    if answer.etag is not None:
        # Weak: the envelope around the same job tells another time each time.
        headers |= {"ETag": f'W/"{answer.etag}"'}
        headers.setdefault("Cache-Control", "private, no-cache")
    return headers


def _is_known(etag: str, if_none_match: str) -> bool:
    tags = (tag.strip().removeprefix("W/") for tag in if_none_match.split(","))
    return any(tag in ("*", f'"{etag}"') for tag in tags)


def _compressed(response: flask.Response, accept_encoding: str) -> flask.Response:
    if not response.content_type.startswith(COMPRESSIBLE):
        return response
    response.headers.add("Vary", "Accept-Encoding")
    content = response.get_data()
    if len(content) < COMPRESS_FROM_BYTES or not _takes_gzip(accept_encoding):
        return response
    response.set_data(gzip.compress(content, COMPRESSION_LEVEL, mtime=0))
    response.headers["Content-Encoding"] = "gzip"
    return response


def _takes_gzip(accept_encoding: str) -> bool:
    for part in accept_encoding.lower().split(","):
        name, _, weight = part.partition(";")
        if name.strip() in ("gzip", "*"):
            return weight.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False
