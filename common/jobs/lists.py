"""Use-case: lists of jobs and batches. Each is one index scan that stops after a page."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from common.access import Caller, visible_filter
from common.clock import first_id
from common.jobs.changes import ANYTHING
from common.jobs.database import Document
from common.jobs.lifecycle import JobStatus
from common.jobs.model import Batch, Job
from common.jobs.queries import (
    MOST_OLD_ROWS,
    BatchesQuery,
    JobFilters,
    JobsQuery,
    OldBatchesQuery,
    OldJobsQuery,
)
from common.jobs.search import words
from common.jobs.waiting import batch_version, wait_until
from common.processing.registry import OLD_NAMES
from common.services import Services

JOB_ID = re.compile(r"job-[0-9a-f]{32}")
# A total beyond this would cost more than it tells: counting must not grow with the store.
COUNT_AT_MOST = 1_000
COUNT_AT_MOST_BY_LOOKING = 100  # where an index finds candidates only, and each has to be looked at
OLD_COUNT_AT_MOST = 100_000  # the first clients page until they have seen the total

Thing = TypeVar("Thing")


@dataclass(frozen=True, kw_only=True)
class Page(Generic[Thing]):
    """Some rows, newest first, and where the next ones begin."""

    rows: list[Thing]
    total: int
    total_is_exact: bool
    next_cursor: str | None
    version: str  # changes when any row does

    def told(self, name: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
        """The page as an answer, with its rows as callers see them."""
        return {
            name: rows,
            "total": self.total,
            "total_is_exact": self.total_is_exact,
            "next_cursor": self.next_cursor,
            "version": self.version,
        }


def list_jobs(services: Services, caller: Caller, query: JobsQuery) -> Page[Job]:
    found = _with_status(_job_filter(query), caller)
    after = {"_id": {"$lt": query.cursor}} if query.cursor else {}
    visible = visible_filter(caller)

    def read() -> Page[Job]:
        rows = services.jobs.find(_all_of(found, after, visible), limit=query.limit + 1)
        wanted = _job_filter(query)
        most = COUNT_AT_MOST if _is_one_index(wanted, visible) else COUNT_AT_MOST_BY_LOOKING
        total = services.jobs.count(_all_of(wanted, visible), at_most=most)
        return _page(rows, query.limit, total, most, [(job.job_id, str(job.version)) for job in rows])

    return _wait_for_page(services, read, query.wait, query.since)


def list_batches(services: Services, caller: Caller, query: BatchesQuery) -> Page[Batch]:
    found = _all_of(_batch_filter(query.user_id, query.archived, query.ended), visible_filter(caller))
    after = {"_id": {"$lt": query.cursor}} if query.cursor else {}

    def read() -> Page[Batch]:
        rows = services.batches.find(_all_of(found, after), limit=query.limit + 1)
        total = services.batches.count(found, at_most=COUNT_AT_MOST)
        versions = [(row.batch_id, batch_version(row)) for row in rows]
        return _page(rows, query.limit, total, COUNT_AT_MOST, versions)

    return _wait_for_page(services, read, query.wait, query.since)


def list_old_jobs(services: Services, caller: Caller, query: OldJobsQuery) -> tuple[list[Job], int]:
    """With limit and skip. A batch's members come whole: its client reads their results from the list."""
    limit = query.limit or (MOST_OLD_ROWS if query.batch_id else 100)
    found = _all_of(_with_status(_job_filter(query), caller), visible_filter(caller))
    rows = services.jobs.find(found, limit=limit, skip=query.skip, whole=bool(query.batch_id))
    return rows, services.jobs.count(found, at_most=OLD_COUNT_AT_MOST)


def list_old_batches(services: Services, caller: Caller, query: OldBatchesQuery) -> tuple[list[Batch], int]:
    found = _all_of(_batch_filter(query.user_id, query.archived), visible_filter(caller))
    rows = services.batches.find(found, limit=query.limit, skip=query.skip)
    return rows, services.batches.count(found, at_most=OLD_COUNT_AT_MOST)


def _job_filter(query: JobFilters) -> Document:
    names = ("status", "job_type", "batch_id", "user_id")
    found: Document = {name: value for name in names if (value := getattr(query, name))}
    if "job_type" in found:
        found["job_type"] = OLD_NAMES.get(found["job_type"], found["job_type"])
    return found | (_search_filter(query) if isinstance(query, JobsQuery) else {})


def _search_filter(query: JobsQuery) -> Document:
    """Times become bounds of ids, which begin with the time they were made at."""
    found: Document = {"tags": query.tag} if query.tag else {}
    born: Document = {}
    if query.created_after:
        born["$gte"] = first_id("job", query.created_after)
    if query.created_before:
        born["$lt"] = first_id("job", query.created_before)
    if query.q and JOB_ID.fullmatch(query.q):
        born["$eq"] = query.q
    elif query.q:
        found["words"] = {"$all": list(words(query.q)) or [query.q]}
    return found | ({"_id": born} if born else {})


def _with_status(found: Document, caller: Caller) -> Document:
    """Naming every state lets one index, which has the state before the id, serve both questions."""
    by_state = {"job_type", "user_id", "batch_id", "tags", "words"} & found.keys() or not caller.is_admin
    return found if "status" in found or not by_state else found | {"status": {"$in": list(JobStatus)}}


def _is_one_index(found: Document, visible: Document) -> bool:
    """One condition, alone or with a state: its index counts without a look at the jobs."""
    words_wanted = found.get("words", {}).get("$all", [])
    return not visible and len(found.keys() - {"status"}) <= 1 and len(words_wanted) <= 1


def _batch_filter(user_id: str | None, archived: bool | None, ended: bool | None = None) -> Document:
    found: Document = {"user_id": user_id} if user_id else {}
    if archived is not None:
        found["archived"] = archived
    if ended is not None:
        found["check_at"] = None if ended else {"$type": "date"}  # looked at until it has ended
    return found


def _all_of(*parts: Document) -> Document:
    given = [part for part in parts if part]
    return {} if not given else given[0] if len(given) == 1 else {"$and": given}


def _page(
    rows: list[Thing], limit: int, total: int, most: int, versions: list[tuple[str, str]]
) -> Page[Thing]:
    """One row more than asked for was read: it tells whether there is a next page."""
    shown = rows[:limit]
    digest = hashlib.sha256(repr(versions[:limit]).encode()).hexdigest()
    return Page(
        rows=shown,
        total=total,
        total_is_exact=total != most,
        next_cursor=versions[limit - 1][0] if len(rows) > limit else None,
        version=digest[:16],
    )


def _wait_for_page(
    services: Services, read: Callable[[], Page[Thing]], wait: float, since: str | None
) -> Page[Thing]:
    seen = since or read().version if wait else ""
    return wait_until(services, ANYTHING, wait, read, until=lambda page: page.version != seen)
