"""P23, P24: when an attempt is made again, and what each outcome means."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.errors import DownloadFailed, UrlNotAllowed
from common.webhooks.delivery import DeliveryState, Outcome, decide, outcome_of_error
from common.webhooks.schedule import MAX_ATTEMPTS, next_attempt_at

NOW = datetime(2026, 1, 1, tzinfo=UTC)
MINUTE, HOUR = 60, 3_600
WAITS = [0, 5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR]


def waited(attempts_made: int, *, jitter: float = 0.0, retry_after: float | None = None) -> float | None:
    at = next_attempt_at(attempts_made=attempts_made, now=NOW, jitter=jitter, retry_after=retry_after)
    return None if at is None else (at - NOW).total_seconds()


def test_the_schedule_is_the_specified_one_and_ends() -> None:
    assert [waited(made) for made in range(len(WAITS) + 1)] == [*WAITS, None]
    assert len(WAITS) == MAX_ATTEMPTS


@given(made=st.integers(0, MAX_ATTEMPTS - 1), jitter=st.floats(0, 1))
def test_jitter_only_delays_and_by_a_tenth_at_most(made: int, jitter: float) -> None:
    wait = waited(made, jitter=jitter)

    assert wait is not None
    assert WAITS[made] <= wait <= WAITS[made] * 1.1 + 0.001


def test_a_receiver_may_ask_for_more_time_but_not_for_less_and_not_for_ever() -> None:
    assert waited(1, retry_after=120) == 120
    assert waited(3, retry_after=1) == 30 * MINUTE
    assert waited(1, retry_after=10**9) == 24 * HOUR


@pytest.mark.parametrize(
    ("outcome", "state"),
    [
        (Outcome(status=200), DeliveryState.DELIVERED),
        (Outcome(status=204), DeliveryState.DELIVERED),
        (Outcome(status=301), DeliveryState.PENDING),
        (Outcome(status=400), DeliveryState.PENDING),
        (Outcome(status=404), DeliveryState.PENDING),
        (Outcome(status=410), DeliveryState.DISABLED),
        (Outcome(status=429, retry_after=60), DeliveryState.PENDING),
        (Outcome(status=500), DeliveryState.PENDING),
        (Outcome(status=503), DeliveryState.PENDING),
        (Outcome(reason="timeout"), DeliveryState.PENDING),
        (Outcome(reason="reset"), DeliveryState.PENDING),
        (Outcome(reason="address", is_refused=True), DeliveryState.GIVEN_UP),
    ],
)
def test_each_outcome_has_one_meaning(outcome: Outcome, state: DeliveryState) -> None:
    decision = decide(outcome, attempts_made=1, now=NOW, jitter=0.0)

    assert decision.state is state
    assert (decision.not_before is not None) == (state is DeliveryState.PENDING)


def test_the_time_a_receiver_asks_for_is_kept() -> None:
    decision = decide(Outcome(status=429, retry_after=60), attempts_made=1, now=NOW, jitter=0.0)

    assert decision.not_before == NOW + timedelta(seconds=60)


def test_after_the_last_attempt_it_is_given_up_with_the_reason() -> None:
    decision = decide(Outcome(status=500), attempts_made=MAX_ATTEMPTS, now=NOW, jitter=0.0)

    assert decision.state is DeliveryState.GIVEN_UP
    assert decision.reason == "answered 500; 10 attempts were made"
    assert (
        decide(Outcome(status=500), attempts_made=2, now=NOW, jitter=0.0, max_attempts=2).state
        is DeliveryState.GIVEN_UP
    )


def test_what_the_outbound_client_raises_becomes_an_outcome() -> None:
    refused = outcome_of_error(UrlNotAllowed("no", details={"reason": "address"}))
    failed = outcome_of_error(DownloadFailed("late", details={"reason": "timeout"}))

    assert (refused.is_refused, refused.reason) == (True, "address")
    assert (failed.is_refused, failed.reason, failed.status) == (False, "timeout", None)
