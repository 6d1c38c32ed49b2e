"""P44: who may do what, and that a listing's filter allows exactly what the check of one document does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from common.access import ACT_FOR_OTHERS, Caller, Right, may, owner_of_new, require, visible_filter
from common.errors import Forbidden, NotFound

OWNER = Caller(user_id="owner")
STRANGER = Caller(user_id="stranger", groups=frozenset({"other"}))
MATE = Caller(user_id="mate", groups=frozenset({"team"}))
READER = Caller(user_id="reader")
READER_BY_GROUP = Caller(user_id="x", groups=frozenset({"readers"}))
WRITER = Caller(user_id="writer")
ADMIN = Caller(user_id="admin")
OPERATOR = Caller(user_id="root", is_admin=True)
SERVICE = Caller(user_id="service", rights=frozenset({ACT_FOR_OTHERS}))


def job(visibility: str) -> dict[str, Any]:
    return {
        "user_id": "owner",
        "owner_groups": ["team"],
        "access_control": {
            "visibility": visibility,
            "read_access": ["reader", "readers"],
            "write_access": ["writer"],
            "admin_access": ["admin"],
        },
    }


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


@pytest.mark.parametrize("control", [None, {}, {"visibility": "secret"}, {"visibility": None}])
def test_without_a_known_visibility_a_job_is_private(control: dict[str, Any] | None) -> None:
    document = {"user_id": "owner", "owner_groups": ["team"], "access_control": control}

    assert may(OWNER, document, Right.ADMIN)
    assert not may(MATE, document, Right.READ)
    assert not may(MATE, {}, Right.READ)


def test_a_team_may_be_named_on_the_access_control() -> None:
    for team in ("team", ["a", "team"]):
        document = {"user_id": "owner", "access_control": {"visibility": "team", "team": team}}
        assert may(MATE, document, Right.READ)
        assert not may(STRANGER, document, Right.READ)


def test_what_may_not_be_read_answers_like_what_does_not_exist() -> None:
    with pytest.raises(NotFound) as hidden:
        require(STRANGER, job("private"), Right.READ)
    with pytest.raises(NotFound) as unknown:
        require(STRANGER, None, Right.READ)
    with pytest.raises(NotFound) as hidden_from_writing:
        require(STRANGER, job("private"), Right.ADMIN)

    assert hidden.value.as_dict() == unknown.value.as_dict() == hidden_from_writing.value.as_dict()


def test_what_may_be_read_but_not_changed_is_forbidden() -> None:
    require(READER, job("private"), Right.READ)
    with pytest.raises(Forbidden, match="right to write this batch"):
        require(READER, job("private"), Right.WRITE, what="batch")


def test_only_a_service_account_or_an_admin_acts_for_others() -> None:
    assert owner_of_new(STRANGER, None) == "stranger"
    assert owner_of_new(STRANGER, "stranger") == "stranger"
    assert owner_of_new(SERVICE, "someone") == "someone"
    assert owner_of_new(OPERATOR, "someone") == "someone"
    with pytest.raises(Forbidden):
        owner_of_new(STRANGER, "owner")


names = st.sampled_from(["a", "b", "c", "d"])
lists = st.one_of(st.none(), st.lists(names, max_size=3), names)
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
        "team": lists,
        "read_access": lists,
        "write_access": lists,
        "admin_access": lists,
    },
)
documents = st.fixed_dictionaries(
    {}, optional={"user_id": st.one_of(st.none(), names), "owner_groups": lists, "access_control": controls}
)


@settings(max_examples=2_000, deadline=None)
@given(caller=callers, document=documents)
def test_the_filter_finds_exactly_what_may_be_read(caller: Caller, document: dict[str, Any]) -> None:
    assert matches(document, visible_filter(caller)) == may(caller, document, Right.READ)


@given(caller=callers, document=documents)
def test_a_higher_right_includes_the_lower_ones(caller: Caller, document: dict[str, Any]) -> None:
    if may(caller, document, Right.ADMIN):
        assert may(caller, document, Right.WRITE)
    if may(caller, document, Right.WRITE):
        assert may(caller, document, Right.READ)


def matches(document: Mapping[str, Any], query: Mapping[str, Any]) -> bool:
    """The part of MongoDB's query language that the filter uses."""
    return all(_matches_one(document, name, wanted) for name, wanted in query.items())


def _matches_one(document: Mapping[str, Any], name: str, wanted: Any) -> bool:
    if name == "$or":
        return any(matches(document, part) for part in wanted)
    value: Any = document
    for part in name.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    found = [*value, value] if isinstance(value, list) else [value]
    if isinstance(wanted, Mapping):
        (operator, choices) = next(iter(wanted.items()))
        assert operator == "$in"
        return any(choice in found for choice in choices)
    return wanted in found
