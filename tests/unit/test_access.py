"""P44: who may do what, and that a listing's filter allows exactly what the check of one document does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from common.access import ACT_FOR_OTHERS, Caller, Right, may, owner_of_new, require, visible_filter
from common.errors import Forbidden, NotFound
from common.jobs.model import Owned

OWNER = Caller(user_id="owner")
STRANGER = Caller(user_id="stranger", groups=frozenset({"other"}))
MATE = Caller(user_id="mate", groups=frozenset({"team"}))
READER = Caller(user_id="reader")
READER_BY_GROUP = Caller(user_id="x", groups=frozenset({"readers"}))
WRITER = Caller(user_id="writer")
ADMIN = Caller(user_id="admin")
OPERATOR = Caller(user_id="root", is_admin=True)
SERVICE = Caller(user_id="service", rights=frozenset({ACT_FOR_OTHERS}))


def job(visibility: str) -> Owned:
    return Owned(
        user_id="owner",
        owner_groups=("team",),
        access_control={
            "visibility": visibility,
            "read_access": ["reader", "readers"],
            "write_access": ["writer"],
            "admin_access": ["admin"],
        },
    )


@pytest.mark.parametrize(
    ("caller", "private", "team", "public"),
    [
        (OWNER, Right.ADMIN, Right.ADMIN, Right.ADMIN),
        (STRANGER, None, None, Right.READ),
        (MATE, None, Right.READ, Right.READ),
        (READER, Right.READ, Right.READ, Right.READ),
        (READER_BY_GROUP, Right.READ, Right.READ, Right.READ),
        (WRITER, Right.WRITE, Right.WRITE, Right.WRITE),
        (ADMIN, Right.ADMIN, Right.ADMIN, Right.ADMIN),
        (OPERATOR, Right.ADMIN, Right.ADMIN, Right.ADMIN),
        (SERVICE, None, None, Right.READ),
    ],
)
def test_the_matrix_of_callers_and_visibilities(
    caller: Caller, private: Right | None, team: Right | None, public: Right | None
) -> None:
    for visibility, highest in (("private", private), ("team", team), ("public", public)):
        allowed = {right for right in Right if may(caller, job(visibility), right)}
        assert allowed == {right for right in Right if highest is not None and right <= highest}


@pytest.mark.parametrize("control", [{}, {"visibility": "secret"}, {"visibility": None}])
def test_without_a_known_visibility_a_job_is_private(control: dict[str, Any]) -> None:
    thing = Owned(user_id="owner", owner_groups=("team",), access_control=control)

    assert may(OWNER, thing, Right.ADMIN)
    assert not may(MATE, thing, Right.READ)


def test_what_may_not_be_read_answers_like_what_does_not_exist() -> None:
    with pytest.raises(NotFound) as hidden:
        require(STRANGER, job("private"), Right.READ, what="job")
    with pytest.raises(NotFound) as unknown:
        require(STRANGER, None, Right.READ, what="job")
    with pytest.raises(NotFound) as hidden_from_writing:
        require(STRANGER, job("private"), Right.ADMIN, what="job")

    assert hidden.value.as_dict() == unknown.value.as_dict() == hidden_from_writing.value.as_dict()


def test_what_may_be_read_but_not_changed_is_forbidden() -> None:
    require(READER, job("private"), Right.READ, what="job")
    with pytest.raises(Forbidden, match="write right on the batch"):
        require(READER, job("private"), Right.WRITE, what="batch")


def test_only_a_service_account_or_an_admin_acts_for_others() -> None:
    assert owner_of_new(STRANGER, None) == "stranger"
    assert owner_of_new(STRANGER, "stranger") == "stranger"
    assert owner_of_new(SERVICE, "someone") == "someone"
    assert owner_of_new(OPERATOR, "someone") == "someone"
    with pytest.raises(Forbidden):
        owner_of_new(STRANGER, "owner")


names = st.sampled_from(["a", "b", "c", "d"])
lists = st.lists(names, max_size=3)
callers = st.builds(
    Caller,
    user_id=names,
    groups=st.frozensets(names, max_size=2),
    is_admin=st.sampled_from([False] * 9 + [True]),
)
controls = st.fixed_dictionaries(
    {},
    optional={
        "visibility": st.sampled_from(["private", "team", "public", "", None]),
        "read_access": lists,
        "write_access": lists,
        "admin_access": lists,
    },
)
things = st.builds(Owned, user_id=names, owner_groups=lists.map(tuple), access_control=controls)


@settings(max_examples=2_000, deadline=None)
@given(caller=callers, thing=things)
def test_the_filter_finds_exactly_what_may_be_read(caller: Caller, thing: Owned) -> None:
    assert matches(asdict(thing), visible_filter(caller)) == may(caller, thing, Right.READ)


def matches(document: Mapping[str, Any], query: Mapping[str, Any]) -> bool:
    """The part of MongoDB's query language that the filter uses."""
    return all(_matches_one(document, name, wanted) for name, wanted in query.items())


def _matches_one(document: Mapping[str, Any], name: str, wanted: Any) -> bool:
    if name == "$or":
        return any(matches(document, part) for part in wanted)
    value: Any = document
    for part in name.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    found = [*value, value] if isinstance(value, list | tuple) else [value]
    if isinstance(wanted, Mapping):
        (operator, choices) = next(iter(wanted.items()))
        assert operator == "$in"
        return any(choice in found for choice in choices)
    return wanted in found
