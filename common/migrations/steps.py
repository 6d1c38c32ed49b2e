"""What changes from one version of a document to the next, by collection.

A step only adds what is missing, so that workers of the release before and after can work on the same
document: each sets the fields it knows and leaves the others alone. A field is taken away one release later.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from common.jobs.model import PRIVATE
from common.jobs.search import words_of

Document = dict[str, Any]
Step = Callable[[Document], Document]

JOB_DEFAULTS: Document = {
    "files": [], "logs": [], "tags": [], "owner_groups": [], "tries": 0, "max_attempts": 3, "priority": 0,
    "attempt": 0, "lease": None, "not_before": None, "cancel_requested": False, "paused": False,
    "used_seconds": 0.0, "version": 1, "access_control": PRIVATE,
}  # fmt: skip
BATCH_DEFAULTS: Document = {
    "parameters": {}, "owner_groups": [], "is_active": True, "archived": False, "closed_at": None,
    "version": 1, "access_control": PRIVATE,
}  # fmt: skip


def _missing(document: Document, defaults: Document) -> Document:
    return {name: value for name, value in defaults.items() if name not in document}


def complete_job(document: Document) -> Document:
    words = words_of(document.get("job_name"), document.get("parameters") or {})
    return _missing(document, JOB_DEFAULTS | {"words": words})


def complete_batch(document: Document) -> Document:
    return _missing(document, BATCH_DEFAULTS)


# From which version: what to set. Documents from before versions were counted have 0.
STEPS: dict[str, dict[int, Step]] = {"jobs": {0: complete_job}, "batches": {0: complete_batch}}
