"""How much one caller may ask for: requests in a minute and jobs in a day, counted in fixed windows.

One document per caller and one update per request, by the database's clock: all processes count together.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from pymongo import ReturnDocument, WriteConcern
from pymongo.collection import Collection
from pymongo.database import Database

from common.errors import TooManyRequests
from common.settings import RateLimits

Document = dict[str, Any]
Window = Literal["minute", "day"]
SECONDS: dict[Window, int] = {"minute": 60, "day": 86_400}
KEEP_SECONDS = 2 * SECONDS["day"]  # by then every window of a caller is over


@dataclass(frozen=True, kw_only=True)
class Allowance:
    """What a caller has left in the present window."""

    limit: int
    used: int
    reset_seconds: int

    @property
    def headers(self) -> dict[str, str]:
        return {
            "RateLimit-Limit": str(self.limit),
            "RateLimit-Remaining": str(max(self.limit - self.used, 0)),
            "RateLimit-Reset": str(self.reset_seconds),
        }


class RateLimiter:
    """Counting is quick rather than durable: a crash may forgive a few requests."""

    def __init__(self, database: Database[Document], options: RateLimits) -> None:
        quick = WriteConcern(w=1, j=False)
        self._callers: Collection[Document] = database.get_collection("rate_limits", write_concern=quick)
        self._options = options

    def take_request(self, user_id: str) -> Allowance | None:
        """None where requests are not limited. Who is over the limit is told by `refuse_if_over`."""
        limit = self._options.requests_per_minute
        return None if limit is None else self._take(user_id, "minute", 1, limit)

    def take_jobs(self, user_id: str, count: int) -> None:
        limit = self._options.jobs_per_day
        if limit is None or count == 0:
            return
        taken = self._take(user_id, "day", count, limit)
        if taken.used > limit:
            self.give_back_jobs(user_id, count)
            raise TooManyRequests(
                f"Expected at most {limit} jobs of one caller in a day; with these it would be {taken.used}.",
                details={"limit": limit, "window": "day"},
                retry_after=taken.reset_seconds,
            )

    def give_back_jobs(self, user_id: str, count: int) -> None:
        """Of jobs that were not stored; those of a day that is over count no more anyway."""
        today = {"_id": user_id, "$expr": _is_present("day")}
        self._callers.update_one(today, {"$inc": {"day.used": -count}})

    def _take(self, user_id: str, window: Window, count: int, limit: int) -> Allowance:
        start, is_same = _start(window), _is_present(window)
        used = {"$cond": [is_same, {"$add": [f"${window}.used", count]}, count]}
        counted = {
            window: {"at": start, "used": used},
            "seen_at": "$$NOW",
            "expires_at": {"$add": ["$$NOW", KEEP_SECONDS * 1000]},
        }
        found: Any = self._callers.find_one_and_update(
            {"_id": user_id}, [{"$set": counted}], upsert=True, return_document=ReturnDocument.AFTER
        )
        began: datetime = found[window]["at"]
        gone = (found["seen_at"] - began).total_seconds()
        left = max(round(SECONDS[window] - gone), 1)
        return Allowance(limit=limit, used=found[window]["used"], reset_seconds=left)


def _start(window: Window) -> Document:
    return {"$dateTrunc": {"date": "$$NOW", "unit": window}}


def _is_present(window: Window) -> Document:
    return {"$eq": [f"${window}.at", _start(window)]}


def refuse_if_over(allowance: Allowance) -> None:
    if allowance.used > allowance.limit:
        raise TooManyRequests(
            f"Expected at most {allowance.limit} requests of one caller in a minute.",
            details={"limit": allowance.limit, "window": "minute"},
            retry_after=allowance.reset_seconds,
        )
