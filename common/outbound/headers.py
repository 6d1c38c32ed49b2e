"""Reading the headers of an answer: a file name that is safe to use, a type, and when to come back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.message import Message
from email.utils import collapse_rfc2231_value, parsedate_to_datetime
from urllib.parse import unquote, urlsplit

_MAX_NAME_LENGTH = 150
_MAX_RETRY_AFTER_SECONDS = 86_400.0
_UNSAFE = re.compile(r'[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069"*:<>?|\\/]')


def file_name(headers: Mapping[str, str], url: str) -> str:
    """The last part of what the source calls its file, else of the URL's path."""
    for name in (_disposition_name(headers.get("content-disposition", "")), unquote(urlsplit(url).path)):
        safe = _safe_name(name)
        if safe:
            return safe
    return "download"


def media_type(headers: Mapping[str, str]) -> str:
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def retry_after_seconds(value: str | None, *, now: datetime) -> float | None:
    """Both forms of Retry-After, never negative and at most a day."""
    if value is None:
        return None
    seconds = float(value) if re.fullmatch(r"\s*[0-9]{1,9}\s*", value) else _seconds_until(value, now)
    return None if seconds is None else min(max(seconds, 0.0), _MAX_RETRY_AFTER_SECONDS)


def _seconds_until(value: str, now: datetime) -> float | None:
    try:
        at = parsedate_to_datetime(value)
    except (ValueError, IndexError, OverflowError):
        return None
    return (at.replace(tzinfo=at.tzinfo or UTC) - now).total_seconds()


def _disposition_name(header: str) -> str:
    message = Message()
    message["Content-Disposition"] = header.replace("\r", " ").replace("\n", " ")
    value = message.get_param("filename", "", "Content-Disposition")
    return collapse_rfc2231_value(value) if isinstance(value, tuple) else str(value or "")


def _safe_name(name: str) -> str:
    last = re.split(r"[/\\]", name)[-1]
    clean = _UNSAFE.sub("_", last).strip(" .")
    stem, dot, ending = clean.rpartition(".")
    if dot and len(ending) <= 10:
        return stem[: _MAX_NAME_LENGTH - len(ending)] + dot + ending
    return clean[:_MAX_NAME_LENGTH]
