"""The same POST twice makes one thing: a key belongs to its caller, to one body, and for a day."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Protocol, TypeVar

from pymongo.errors import DuplicateKeyError

from common.access import Caller
from common.errors import Conflict, TooManyRequests, ValidationFailed
from common.jobs.database import Document

TRIES = 3  # what held the key may be removed while we look at it, but hardly twice


class Keyed(Protocol):
    """A stored thing that remembers the key it was made with."""

    @property
    def idempotency(self) -> Document | None: ...


Thing = TypeVar("Thing", bound=Keyed)


def idempotency(caller: Caller, key: str | None, body: Any, now: datetime) -> Document | None:
    """What a document remembers: hashes, because a key may be a secret and a body may be long."""
    if key is None:
        return None
    return {"key": _digest([caller.user_id, key]), "body": _digest(body), "at": now}


def insert_once(
    insert: Callable[[], None],
    *,
    wanted: Document | None,
    lifetime: timedelta,
    known: Callable[[str], Thing | None],
    forget: Callable[[Thing], None],
) -> Thing | None:
    """None when it was inserted, else what the same key has made before, even if no more is allowed now."""
    for _ in range(TRIES):
        try:
            insert()
        except (DuplicateKeyError, TooManyRequests) as error:
            if wanted is None:
                raise
            refused = error
        else:
            return None
        found = known(wanted["key"])
        if found is None or found.idempotency is None:
            if isinstance(refused, TooManyRequests):
                raise refused
            continue
        if found.idempotency["at"] + lifetime <= wanted["at"]:
            forget(found)
            continue
        if found.idempotency["body"] != wanted["body"]:
            raise ValidationFailed("This Idempotency-Key was used with another body.")
        return found
    raise Conflict("Another request with this Idempotency-Key is at work; try again.")


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
