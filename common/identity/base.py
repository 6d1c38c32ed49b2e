"""The port of all identity modes, and what they share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from common.access import ACT_FOR_OTHERS, Caller
from common.errors import Unauthorized

# No commas: a header that was sent twice arrives joined by one, and must not pass as a name.
_USER_ID = re.compile(r"[^\s,\x00-\x1f\x7f-\x9f][^,\x00-\x1f\x7f-\x9f]{0,199}")


class Identity(Protocol):
    """One mode of proving who is calling."""

    def caller(self, headers: Mapping[str, str]) -> Caller:
        """Header names are lower-case. Raises Unauthorized for anything but proof."""
        ...


@dataclass(frozen=True, kw_only=True)
class Roles:
    """Who is more than a user, for modes whose users and groups come from outside."""

    admin_users: frozenset[str] = frozenset()
    admin_groups: frozenset[str] = frozenset()
    service_groups: frozenset[str] = frozenset()

    def caller(self, user_id: str, groups: Iterable[str]) -> Caller:
        known = frozenset(groups)
        is_service = not known.isdisjoint(self.service_groups)
        return Caller(
            user_id=checked_user_id(user_id),
            groups=known,
            is_admin=user_id in self.admin_users or not known.isdisjoint(self.admin_groups),
            rights=frozenset({ACT_FOR_OTHERS}) if is_service else frozenset(),
        )


def checked_user_id(user_id: str) -> str:
    if not _USER_ID.fullmatch(user_id) or user_id != user_id.strip():
        raise Unauthorized("expected one user id of at most 200 characters, found another form")
    return user_id


def bearer_token(headers: Mapping[str, str]) -> str | None:
    scheme, _, token = headers.get("authorization", "").strip().partition(" ")
    return token.strip() if scheme.lower() == "bearer" and token.strip() else None
