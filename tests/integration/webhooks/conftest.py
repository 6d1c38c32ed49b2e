"""A service whose webhooks may reach loopback, and jobs that end as a test needs them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from common.access import Caller
from common.jobs.model import Job
from common.jobs.store import Run
from common.jobs.submit import submit_job
from common.outbound.client import Outbound
from common.outbound.policy import policy_of
from common.services import Services
from common.webhooks.deliver import deliver
from common.webhooks.publish import publish_job
from common.webhooks.signing import new_secret
from tests.servers.seaweed import SeaweedServer
from tests.unit.outbound.loopback import Exchange, Loopback

ANNA = Caller(user_id="anna")
SECRET = new_secret().text
ERROR = {"code": "ENCRYPTED_FILE", "message": "needs a password", "details": {}}


@pytest.fixture
def environment(database_environment: dict[str, str], object_server: SeaweedServer) -> dict[str, str]:
    return (
        database_environment
        | object_server.environment
        | {
            "SECRETARY_OUTBOUND__ALLOW_NETWORKS": "127.0.0.0/8",
            "SECRETARY_WEBHOOKS__SECRET_KEYS": "a key of thirty-two characters or more",
            "SECRETARY_WEBHOOKS__TIMEOUT_SECONDS": "1",
            "SECRETARY_SWEEP__RESEND_AFTER_SECONDS": "0.001",
        }
    )


@pytest.fixture
def receiver() -> Iterator[Loopback]:
    with Loopback(routes={"/hook": lambda exchange: exchange.reply(204)}) as server:
        yield server


@pytest.fixture
def outbound(services: Services) -> Iterator[Outbound]:
    with Outbound(policy_of(services.settings.outbound)) as client:
        yield client


@dataclass
class Sender:
    """Submits jobs with a webhook, ends them, and makes the attempts that are due."""

    services: Services
    outbound: Outbound
    receiver: Loopback
    hook: dict[str, object] = field(default_factory=dict)

    def submit(self, **changed: object) -> Job:
        webhook = {"url": self.receiver.url("/hook"), "secret": SECRET} | self.hook | changed
        body = {"job_type": "pdf", "parameters": {"url": "https://x.example/a.pdf"}, "webhook": webhook}
        return submit_job(self.services, ANNA, body, key=None)

    def ended(self, job: Job, *, failed: bool = False) -> str:
        """The id of the delivery that tells of the job's end."""
        end_job(self.services, job, failed=failed)
        publish_job(self.services, job.job_id)
        (delivery, *_) = self.services.deliveries.of_job(job.job_id, limit=10, skip=0)
        return delivery.delivery_id

    def attempt(self, delivery_id: str) -> None:
        deliver(self.services, self.outbound, delivery_id, jitter=lambda: 0.0)

    def told(self) -> list[Exchange]:
        return [seen for seen in self.receiver.seen if seen.path == "/hook"]


def end_job(
    services: Services,
    job: Job,
    *,
    failed: bool = False,
    results: dict[str, Any] | None = None,
    files: list[dict[str, Any]] | None = None,
) -> None:
    claimed = services.jobs.claim(job.job_id, "worker")
    assert claimed is not None
    run = Run(job_id=job.job_id, attempt=claimed.attempt, worker_id="worker")
    if failed:
        assert services.jobs.fail(run, error=ERROR, expires_after=None)
    else:
        done = {"step": "completed", "percent": 100, "message": ""}
        assert services.jobs.complete(
            run,
            results=results or {},
            files=files or [],
            cache_prefixes=[],
            progress=done,
            expires_after=None,
        )


@pytest.fixture
def sender(services: Services, outbound: Outbound, receiver: Loopback) -> Sender:
    return Sender(services, outbound, receiver)
