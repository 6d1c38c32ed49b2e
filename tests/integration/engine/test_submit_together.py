"""Many submits at once are few writes; each is stored or refused for reasons of its own."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from bson.errors import BSONError
from pymongo.errors import DuplicateKeyError

from common.jobs.submit import submit_job
from tests.integration.engine.helpers import Engine

SUBMITS = 60
CALLERS = 12


def test_submits_at_once_are_all_stored_and_announced(engine: Engine) -> None:
    with ThreadPoolExecutor(CALLERS) as callers:
        ids = list(callers.map(lambda _: engine.submit().job_id, range(SUBMITS)))

    assert len(set(ids)) == SUBMITS
    assert engine.services.database["jobs"].count_documents({"_id": {"$in": ids}}) == SUBMITS
    assert engine.waiting_messages() == SUBMITS


def test_one_key_at_once_is_one_job(engine: Engine) -> None:
    def submit(number: int) -> str:
        key = "the same" if number % 2 else None
        return submit_job(engine.services, engine.caller, {"job_type": "noop"}, key=key).job_id

    with ThreadPoolExecutor(CALLERS) as callers:
        ids = list(callers.map(submit, range(SUBMITS)))

    assert len(set(ids[1::2])) == 1
    assert len(set(ids)) == SUBMITS // 2 + 1


def test_what_cannot_be_stored_is_refused_alone(engine: Engine) -> None:
    jobs = engine.services.database["jobs"]
    first, second = ({"_id": name, "idempotency": {"key": "k"}} for name in ("first", "second"))
    faults = engine.services.jobs._insert_all([first, second, {"_id": "third"}])
    assert {place: type(fault) for place, fault in faults.items()} == {1: DuplicateKeyError}

    faults = engine.services.jobs._insert_all([{"_id": "fourth"}, {"_id": "fifth", "x": object()}])
    assert list(faults) == [1]
    assert isinstance(faults[1], BSONError)
    assert sorted(item["_id"] for item in jobs.find({}, {"_id": 1})) == ["first", "fourth", "third"]
