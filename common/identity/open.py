"""Mode `open`: one local user who owns everything. The gateway binds to loopback only in this mode."""

from __future__ import annotations

from collections.abc import Mapping

from common.access import Caller


class OpenIdentity:
    def __init__(self, *, user_id: str = "local") -> None:
        self._caller = Caller(user_id=user_id, is_admin=True)

    def caller(self, headers: Mapping[str, str]) -> Caller:
        return self._caller
