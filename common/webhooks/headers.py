"""Headers a user adds to a webhook: allowed as long as they cannot change what the request is."""

from __future__ import annotations

import re
from collections.abc import Mapping

from common.errors import ValidationFailed

_MAX_HEADERS = 20
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}", re.ASCII)
_VALUE = re.compile(r"[\x20-\x7e]{0,4000}", re.ASCII)
_OURS = frozenset(
    {
        *("accept-encoding", "connection", "content-encoding", "content-length", "content-type", "expect"),
        *("host", "keep-alive", "proxy-authorization", "proxy-connection", "te", "trailer"),
        *("transfer-encoding", "upgrade", "user-agent"),
    }
)


def checked_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers as given, or ValidationFailed that names the wrong one but never shows a value."""
    if len(headers) > _MAX_HEADERS:
        raise ValidationFailed(f"expected at most {_MAX_HEADERS} headers, found {len(headers)}")
    for name, value in headers.items():
        if not _NAME.fullmatch(name):
            raise ValidationFailed("expected a header name of letters, digits and '-', found another")
        if name.lower() in _OURS or name.lower().startswith("webhook-"):
            raise ValidationFailed(f"expected headers of your own, found {name!r}, which the service sets")
        if not _VALUE.fullmatch(value):
            raise ValidationFailed(f"expected header {name!r} to be one line of ASCII, found another value")
    return dict(headers)


def request_headers(custom: Mapping[str, str], signed: Mapping[str, str]) -> dict[str, str]:
    return {**custom, "content-type": "application/json", **signed}
