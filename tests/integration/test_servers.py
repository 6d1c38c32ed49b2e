"""The servers that the other tests stand on."""

from __future__ import annotations

from common.services import Services
from tests.servers.stack import StackServer


def test_each_test_has_a_database_with_indexes_and_a_working_object_store(services: Services) -> None:
    assert "by_batch" in services.database["jobs"].index_information()
    assert services.database["jobs"].find_one() is None
    assert services.objects.put("some/key", b"bytes", "text/plain").size == 5


def test_the_whole_service_answers_and_runs_a_worker_with_its_child(stack: StackServer) -> None:
    with stack.client() as client:
        assert client.get("/ready").status_code == 200
    assert len(stack.pids("infra.local.worker")) == 1
    assert stack.pids("common.jobs.child")
