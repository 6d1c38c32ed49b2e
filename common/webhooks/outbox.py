"""The mark that a change of state leaves in the same write: this event is still to be sent.

Whoever made the change sends it at once; if they die in between, the sweep finds the mark.
"""

from __future__ import annotations

from typing import Any

from common.webhooks.events import EventType

Expression = dict[str, Any]

_WANTED_EVENTS: Expression = {
    "$cond": [
        {"$eq": [{"$ifNull": ["$webhook.disabled_at", None]}, None]},
        {"$ifNull": ["$webhook.events", []]},
        [],
    ]
}


def marked(event: EventType) -> Expression:
    """The value of `outbox` after this event, for a stage of an update; unchanged if nobody asked for it.

    The number is the version that the same write gives the document, so it names this change and no other.
    """
    entry = {"event": event.value, "number": {"$add": ["$version", 1]}, "at": "$$NOW"}
    with_entry = {"$concatArrays": [{"$ifNull": ["$outbox", []]}, [entry]]}
    return {"$cond": [{"$in": [event.value, _WANTED_EVENTS]}, with_entry, "$outbox"]}


def without(numbers: list[int]) -> Expression:
    """The value of `outbox` once these are sent; the field goes with its last entry."""
    rest = {
        "$filter": {
            "input": {"$ifNull": ["$outbox", []]},
            "cond": {"$not": {"$in": ["$$this.number", numbers]}},
        }
    }
    return {"$cond": [{"$eq": [{"$size": rest}, 0]}, "$$REMOVE", rest]}
