"""What an attempt's outcome means for its delivery: one table, no side effects."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from common.errors import SecretaryError, UrlNotAllowed
from common.webhooks.schedule import MAX_ATTEMPTS, next_attempt_at


class DeliveryState(StrEnum):
    PENDING = "pending"  # waiting for its next attempt
    DELIVERED = "delivered"  # the receiver answered 2xx
    DISABLED = "disabled"  # the receiver is gone (410): send it nothing more
    GIVEN_UP = "given_up"  # the schedule is used up, or no attempt can succeed


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What happened in one attempt: an answer with its status, or the reason why there was none."""

    status: int | None = None
    reason: str | None = None
    is_refused: bool = False  # by our own guard
    retry_after: float | None = None


@dataclass(frozen=True, kw_only=True)
class Decision:
    state: DeliveryState
    reason: str
    not_before: datetime | None = None


def outcome_of_error(error: SecretaryError) -> Outcome:
    """From what the outbound client raises."""
    reason = str(error.details.get("reason", error.code.lower()))
    return Outcome(reason=reason, is_refused=isinstance(error, UrlNotAllowed), retry_after=error.retry_after)


def decide(
    outcome: Outcome, *, attempts_made: int, now: datetime, jitter: float, max_attempts: int = MAX_ATTEMPTS
) -> Decision:
    """`attempts_made` includes the one that had this outcome."""
    told = f"answered {outcome.status}" if outcome.status is not None else outcome.reason or "no answer"
    if outcome.status is not None and 200 <= outcome.status < 300:
        return Decision(state=DeliveryState.DELIVERED, reason=told)
    if outcome.status == 410:
        return Decision(state=DeliveryState.DISABLED, reason="answered 410: the receiver wants no more")
    if outcome.is_refused:
        return Decision(state=DeliveryState.GIVEN_UP, reason=f"the address is not allowed ({told})")
    at = next_attempt_at(attempts_made=attempts_made, now=now, jitter=jitter, retry_after=outcome.retry_after)
    if at is None or attempts_made >= max_attempts:
        return Decision(state=DeliveryState.GIVEN_UP, reason=f"{told}; {attempts_made} attempts were made")
    return Decision(state=DeliveryState.PENDING, reason=told, not_before=at)
