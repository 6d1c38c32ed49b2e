"""Waiting for a job or batch to change: one change stream per process, however many callers wait."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

from pymongo.database import Database
from pymongo.errors import PyMongoError

from common import logs
from common.jobs.database import Document

RECHECK_SECONDS = 5.0  # how long a waiter trusts a silent stream
ANYTHING = "*"  # the subject of those who wait for a list


class Changes:
    """Waiters sleep on an event of their own; the stream's thread wakes those whose subject changed."""

    def __init__(self, database: Database[Document]) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._waiting: dict[str, set[threading.Event]] = defaultdict(set)
        self._thread: threading.Thread | None = None
        self._closed = threading.Event()

    def close(self) -> None:
        """Waits for the listening thread, so that the connection can be closed after it."""
        self._closed.set()
        if self._thread:
            self._thread.join()

    @contextmanager
    def of(self, subject_id: str) -> Iterator[threading.Event]:
        """An event that is set at each change of this job or batch. Enter first, then read: no gap."""
        event = threading.Event()
        with self._lock:
            self._waiting[subject_id].add(event)
            if self._thread is None:
                self._thread = threading.Thread(target=self._listen, name="changes", daemon=True)
                self._thread.start()
        try:
            yield event
        finally:
            with self._lock:
                self._waiting[subject_id].discard(event)
                if not self._waiting[subject_id]:
                    del self._waiting[subject_id]

    def _listen(self) -> None:
        writes = {"operationType": {"$in": ["insert", "update", "replace", "delete"]}}
        wanted: list[Document] = [
            {"$match": writes | {"ns.coll": {"$in": ["jobs", "batches"]}}},
            {"$project": {"documentKey": 1, "operationType": 1, "fullDocument.batch_id": 1}},
        ]
        while not self._closed.is_set():
            try:
                with self._database.watch(
                    wanted, max_await_time_ms=1000, full_document="updateLookup"
                ) as stream:
                    self._wake_all()  # of what changed before, nothing was heard
                    while stream.alive and not self._closed.is_set():
                        if (change := stream.try_next()) is not None:
                            self._wake(change)
            except PyMongoError as error:
                logs.warning("change stream interrupted", error=type(error).__name__)
                self._closed.wait(1.0)

    def _wake_all(self) -> None:
        with self._lock:
            for events in self._waiting.values():
                for event in events:
                    event.set()

    def _wake(self, change: Document) -> None:
        """A member's change is a change of its batch."""
        batch_id = (change.get("fullDocument") or {}).get("batch_id")
        subjects = {change["documentKey"]["_id"], batch_id, ANYTHING}
        with self._lock:
            for subject in subjects:
                for event in self._waiting.get(subject, ()):
                    event.set()
