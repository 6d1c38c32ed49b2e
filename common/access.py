"""Who is calling, and what may they do with a job or batch. Pure: one rule, as a check and as a filter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from common.errors import Forbidden, NotFound

ACT_FOR_OTHERS = "act_for_others"  # a service account may submit work that belongs to someone else


class Right(IntEnum):
    """Each right includes the ones before it."""

    READ = 1
    WRITE = 2
    ADMIN = 3


@dataclass(frozen=True, kw_only=True)
class Caller:
    """A verified identity; nothing of it comes from a request's body."""

    user_id: str
    groups: frozenset[str] = frozenset()
    is_admin: bool = False
    rights: frozenset[str] = frozenset()

    @property
    def names(self) -> frozenset[str]:
        """What an access list can call this caller: lists hold users and groups side by side."""
        return self.groups | {self.user_id}


_LISTS = {
    Right.READ: ("read_access", "write_access", "admin_access"),
    Right.WRITE: ("write_access", "admin_access"),
    Right.ADMIN: ("admin_access",),
}


def may(caller: Caller, document: Mapping[str, Any], right: Right) -> bool:
    """Private to its owner unless its access control says more; visibility only ever grants reading."""
    if caller.is_admin or document.get("user_id") == caller.user_id:
        return True
    control = document.get("access_control") or {}
    if any(caller.names.intersection(_names(control.get(field))) for field in _LISTS[right]):
        return True
    return right is Right.READ and _is_visible(caller, document, control)


def visible_filter(caller: Caller) -> dict[str, Any]:
    """The MongoDB filter that matches exactly what `may(caller, …, Right.READ)` allows."""
    if caller.is_admin:
        return {}
    names, groups = sorted(caller.names), sorted(caller.groups)
    team = "access_control.visibility"
    return {
        "$or": [
            {"user_id": caller.user_id},
            *({f"access_control.{field}": {"$in": names}} for field in _LISTS[Right.READ]),
            {team: "public"},
            {team: "team", "owner_groups": {"$in": groups}},
            {team: "team", "access_control.team": {"$in": groups}},
        ]
    }


def require(caller: Caller, document: Mapping[str, Any] | None, right: Right, *, what: str = "job") -> None:
    """What a caller may not read does not exist for them: the same answer as for an unknown id."""
    if document is None or not may(caller, document, Right.READ):
        raise NotFound(f"expected the id of an existing {what}, found another")
    if not may(caller, document, right):
        raise Forbidden(f"expected the right to {right.name.lower()} this {what}, found only less")


def owner_of_new(caller: Caller, requested: str | None) -> str:
    """Whose a new job is: the caller's, or someone else's if the caller may act for others."""
    if requested is None or requested == caller.user_id:
        return caller.user_id
    if caller.is_admin or ACT_FOR_OTHERS in caller.rights:
        return requested
    raise Forbidden(
        "expected user_id to be your own, found another; only a service account may act for others"
    )


def _is_visible(caller: Caller, document: Mapping[str, Any], control: Mapping[str, Any]) -> bool:
    visibility = control.get("visibility")
    if visibility == "team":
        teams = (*_names(document.get("owner_groups")), *_names(control.get("team")))
        return not caller.groups.isdisjoint(teams)
    return bool(visibility == "public")


def _names(value: object) -> Iterable[str]:
    if isinstance(value, str):
        return (value,)
    return tuple(name for name in value if isinstance(name, str)) if isinstance(value, list | tuple) else ()
