"""Who is calling, and what may they do. What a caller may not read does not exist for them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any, TypeVar

from common.errors import Forbidden, NotFound
from common.jobs.model import Owned

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


ANONYMOUS = Caller(user_id="")  # nobody has said who they are; no thing has an owner without a name

_LISTS = (("admin_access", Right.ADMIN), ("write_access", Right.WRITE), ("read_access", Right.READ))

Thing = TypeVar("Thing", bound=Owned)


def may(caller: Caller, thing: Owned, right: Right) -> bool:
    return right_on(caller, thing) >= right


def right_on(caller: Caller, thing: Owned) -> int:
    """The highest right a caller has on a thing; 0 is none."""
    if caller.is_admin or caller.user_id == thing.user_id:
        return Right.ADMIN
    rules = thing.access_control
    for name, right in _LISTS:
        if caller.names & set(rules.get(name, ())):
            return right
    shared = rules.get("visibility") == "team" and caller.groups & set(thing.owner_groups)
    return Right.READ if shared or rules.get("visibility") == "public" else 0


def require(caller: Caller, thing: Thing | None, right: Right, *, what: str) -> Thing:
    """The thing, if the caller may do that; else the same answer as for one that does not exist."""
    have = right_on(caller, thing) if thing else 0
    if thing is None or have < Right.READ:
        raise NotFound(f"There is no such {what}.")
    if have < right:
        raise Forbidden(f"This needs the {right.name.lower()} right on the {what}.")
    return thing


def require_admin(caller: Caller) -> None:
    if not caller.is_admin:
        raise Forbidden("This needs an administrator.")


def visible_filter(caller: Caller) -> dict[str, Any]:
    """The same rule as a query: everything this caller may read."""
    if caller.is_admin:
        return {}
    names = sorted(caller.names)
    team = {"access_control.visibility": "team", "owner_groups": {"$in": sorted(caller.groups)}}
    lists = [{f"access_control.{name}": {"$in": names}} for name, _ in _LISTS]
    return {"$or": [{"user_id": caller.user_id}, {"access_control.visibility": "public"}, team, *lists]}


def owner_of_new(caller: Caller, requested: str | None) -> str:
    """Whose a new job is: the caller's, or someone else's if the caller may act for others."""
    if requested is None or requested == caller.user_id:
        return caller.user_id
    if caller.is_admin or ACT_FOR_OTHERS in caller.rights:
        return requested
    raise Forbidden("Only a service account may submit work that belongs to another user.")
