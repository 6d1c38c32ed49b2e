"""Use-case: hand out, list and revoke API keys."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, Field, field_validator

from common.access import ACT_FOR_OTHERS, Caller, require_admin
from common.errors import NotFound, Unauthorized
from common.identity.api_key import NewKey, StoredKey, new_key
from common.identity.base import checked_user_id
from common.jobs.requests import Body, Name, Names, parse_body
from common.services import Services

MOST_KEYS = 1_000
# For the specification: no comma, no control character, no blank at either end.
USER_ID = r"^[^\s,\x00-\x1f\x7f-\x9f]([^,\x00-\x1f\x7f-\x9f]*[^\s,\x00-\x1f\x7f-\x9f])?$"
SHOWN = (
    "key_id", "name", "user_id", "groups", "is_admin", "rights", "created_at", "expires_at", "revoked_at",
)  # fmt: skip


class KeyRequest(Body):
    """Who a new key speaks for."""

    user_id: Annotated[str, Field(max_length=200, pattern=USER_ID)]
    name: Name | None = None
    groups: Names = Field(default_factory=list)
    is_admin: bool = False
    rights: Annotated[list[Literal["act_for_others"]], Field(max_length=1)] = Field(default_factory=list)
    expires_at: AwareDatetime | None = None

    @field_validator("user_id")
    @classmethod
    def _is_a_user(cls, value: str) -> str:
        try:
            return checked_user_id(value)
        except Unauthorized as error:
            raise ValueError(error.message) from None


def create_key(services: Services, caller: Caller, body: dict[str, Any]) -> tuple[NewKey, StoredKey]:
    """The text of the new key is in the answer, and nowhere else."""
    require_admin(caller)
    request = parse_body(KeyRequest, body)
    made = new_key()
    stored = StoredKey(
        key_id=made.key_id,
        secret_hash=made.secret_hash,
        user_id=request.user_id,
        name=request.name,
        groups=frozenset(request.groups),
        is_admin=request.is_admin,
        rights=frozenset({ACT_FOR_OTHERS} & set(request.rights)),
        created_at=services.clock(),
        expires_at=request.expires_at,
    )
    services.keys.insert(stored)
    return made, stored


def list_keys(services: Services, caller: Caller) -> list[StoredKey]:
    require_admin(caller)
    return services.keys.newest(limit=MOST_KEYS)


def revoke_key(services: Services, caller: Caller, key_id: str) -> None:
    require_admin(caller)
    if not services.keys.revoke(key_id, at=services.clock()):
        raise NotFound("There is no such key.")


def key_view(key: StoredKey) -> dict[str, Any]:
    shown = {name: getattr(key, name) for name in SHOWN}
    return shown | {"groups": sorted(key.groups), "rights": sorted(key.rights)}
