"""process and notify as Lambda runs them: queues and bucket made from template.yaml on LocalStack, real
messages, Lambda's own runtime client. No message is lost and none is deleted early."""

from __future__ import annotations

import json
import secrets
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import boto3
import pytest

from common.access import Caller
from common.jobs.lifecycle import JobStatus
from common.jobs.model import Job
from common.jobs.store import Pulse, Run
from common.jobs.submit import submit_job
from common.jobs.sweep import sweep
from common.queue.base import NOTIFY_QUEUE, queue_for
from common.services import Services, build
from common.settings import load_settings
from infra.aws.document import load
from infra.local.template import ROOT
from tests.deploy.lambda_function import EventSource, LambdaFunction
from tests.servers.localstack import CREDENTIALS, LocalStackServer

CALLER = Caller(user_id="ann")
VISIBILITY_SECONDS = 3
LIMIT_SECONDS = 60.0  # of a function that is meant to succeed, on a busy machine
QUICK = {
    "SECRETARY_JOBS__LEASE_SECONDS": "3",
    "SECRETARY_JOBS__HEARTBEAT_SECONDS": "1",
    "SECRETARY_SWEEP__RESEND_AFTER_SECONDS": "1",
    "SECRETARY_OUTBOUND__ALLOW_NETWORKS": "127.0.0.0/8",
    "SECRETARY_WEBHOOKS__SECRET_KEYS": "k" * 32,
}
MADE = ("AWS::SQS::Queue", "AWS::SQS::QueuePolicy", "AWS::S3::Bucket")
HTML_500 = """
import http.server, sys
class Broken(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        page = b"<html><h1>Internal Server Error</h1></html>"
        self.send_response(500)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Broken).serve_forever()
"""


class Source:
    """A web server with one PDF, which also receives webhooks; while `gate` is closed, requests wait."""

    def __init__(self) -> None:
        self.heard: list[dict[str, Any]] = []
        self.hook_status = 200
        self.gate = threading.Event()
        self.gate.set()
        self.asked = threading.Event()
        content = (ROOT / "samples" / "report.pdf").read_bytes()
        source = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                source.asked.set()
                source.gate.wait(60)
                self.send_response(200)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def do_POST(self) -> None:
                source.heard.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(source.hook_status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                return

        class Server(ThreadingHTTPServer):
            def handle_error(self, *_: Any) -> None:
                return  # the killed function hung up

        self._server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/report.pdf"

    def close(self) -> None:
        self.gate.set()
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture(scope="session")
def cloud(localstack: LocalStackServer) -> dict[str, str]:
    """The queues and the bucket of template.yaml, made by CloudFormation; what finds them in our settings."""
    template = load()
    resources = {name: item for name, item in template["Resources"].items() if item["Type"] in MADE}
    text = json.dumps(resources)
    parameters = {name: item for name, item in template["Parameters"].items() if name in text}
    body = {"AWSTemplateFormatVersion": "2010-09-09", "Parameters": parameters, "Resources": resources}
    prefix = f"deploy-{secrets.token_hex(4)}"
    formation = boto3.client(
        "cloudformation",
        endpoint_url=localstack.url,
        region_name=CREDENTIALS["AWS_REGION"],
        aws_access_key_id=CREDENTIALS["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=CREDENTIALS["AWS_SECRET_ACCESS_KEY"],
    )
    formation.create_stack(
        StackName=prefix,
        TemplateBody=json.dumps(body),
        Parameters=[{"ParameterKey": "QueuePrefix", "ParameterValue": prefix}],
    )
    formation.get_waiter("stack_create_complete").wait(
        StackName=prefix, WaiterConfig={"Delay": 1, "MaxAttempts": 60}
    )
    found = formation.describe_stack_resource(StackName=prefix, LogicalResourceId="Bucket")
    bucket: str = found["StackResourceDetail"]["PhysicalResourceId"]
    made = {"SQS_QUEUE_PREFIX": prefix, "S3_BUCKET": bucket, "SQS_CREATE_QUEUES": "false"}
    return localstack.environment | made


@pytest.fixture
def source() -> Iterator[Source]:
    with closing(Source()) as made:
        yield made


@pytest.fixture
def environment(
    database_environment: dict[str, str], cloud: dict[str, str], source: Source
) -> dict[str, str]:
    ports = f"80,443,{source.port}"
    return database_environment | cloud | QUICK | {"SECRETARY_OUTBOUND__ALLOW_PORTS": ports}


@pytest.fixture
def services(
    environment: dict[str, str], localstack: LocalStackServer, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Services]:
    for name, value in CREDENTIALS.items():  # which SQS reads from the environment, as on AWS
        monkeypatch.setenv(name, value)
    provided = build(load_settings(environment))
    yield provided
    provided.close()
    for queue in (queue_for("pdf", 0), NOTIFY_QUEUE):
        localstack.sqs().purge_queue(QueueUrl=queue_url(localstack, environment, queue))


def queue_url(localstack: LocalStackServer, environment: dict[str, str], queue: str) -> str:
    return localstack.sqs().get_queue_url(QueueName=f"{environment['SQS_QUEUE_PREFIX']}-{queue}")["QueueUrl"]


Deploy = Callable[..., tuple[LambdaFunction, EventSource]]


@pytest.fixture
def deploy(localstack: LocalStackServer, environment: dict[str, str], tmp_path: Path) -> Iterator[Deploy]:
    """A function behind its queue."""
    made: list[LambdaFunction] = []

    def deployed(name: str, **variables: str) -> tuple[LambdaFunction, EventSource]:
        function = LambdaFunction(name, environment | variables, log=tmp_path / f"{name}.log")
        made.append(function)
        queue = NOTIFY_QUEUE if name == "notify" else queue_for("pdf", 0)
        url = queue_url(localstack, environment, queue)
        events = EventSource(localstack.sqs(), url, function, visibility_seconds=VISIBILITY_SECONDS)
        return function, events

    yield deployed
    for function in made:
        function.kill()


def submit(services: Services, source: Source, **also: Any) -> Job:
    body = {"job_type": "pdf", "parameters": {"url": source.url, "use_cache": False}}
    return submit_job(services, CALLER, body | also, key=None)


def now(services: Services, job: Job) -> Job:
    found = services.jobs.get(job.job_id)
    assert found is not None
    return found


def wait_until_claimable(services: Services, job: Job) -> None:
    deadline = time.monotonic() + 30
    while (lease := now(services, job).lease) and lease.expires_at > services.jobs.now():
        assert time.monotonic() < deadline
        time.sleep(0.2)


@contextmanager
def held_elsewhere(services: Services, job: Job) -> Iterator[None]:
    """Another worker has the job and shows that it lives, for as long as the block takes."""
    claimed = services.jobs.claim(job.job_id, "someone-else")
    assert claimed is not None
    run = Run(job_id=job.job_id, attempt=claimed.attempt, worker_id="someone-else")
    ended = threading.Event()

    def beat() -> None:
        while not ended.wait(0.5):
            services.jobs.pulse([Pulse(run=run)])

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    yield
    ended.set()
    thread.join()


@contextmanager
def during(act: Callable[[], None], source: Source) -> Iterator[None]:
    """Runs `act` in the middle of the job: when it has asked for its source."""

    def wait_and_act() -> None:
        assert source.asked.wait(60)
        act()

    thread = threading.Thread(target=wait_and_act, daemon=True)
    thread.start()
    yield
    thread.join(60)
    assert not thread.is_alive()


def test_a_message_runs_its_job_and_is_deleted(services: Services, source: Source, deploy: Deploy) -> None:
    _, events = deploy("process")
    job = submit(services, source)
    bodies, outcome = events.poll(batch_size=1, seconds=LIMIT_SECONDS)
    assert [json.loads(body)["job_id"] for body in bodies] == [job.job_id]
    assert outcome.answer == {"batchItemFailures": []}
    assert now(services, job).status == JobStatus.COMPLETED
    assert events.held() == 0


def test_only_the_message_that_must_come_again_is_kept(
    services: Services, source: Source, deploy: Deploy
) -> None:
    _, events = deploy("process")
    held, free = submit(services, source), submit(services, source)
    with held_elsewhere(services, held):
        bodies, outcome = events.poll(batch_size=2, seconds=LIMIT_SECONDS)
    assert len(bodies) == 2
    assert len(outcome.answer["batchItemFailures"]) == 1
    assert now(services, free).status == JobStatus.COMPLETED
    assert now(services, held).attempt == 1, "it was taken from a living worker"
    assert events.held() == 1
    wait_until_claimable(services, held)
    again, _ = events.poll(batch_size=1, seconds=LIMIT_SECONDS)
    assert [json.loads(body)["job_id"] for body in again] == [held.job_id]
    assert now(services, held).status == JobStatus.COMPLETED
    assert events.held() == 0


def test_a_function_that_exceeds_its_time_keeps_its_message(
    services: Services, source: Source, deploy: Deploy
) -> None:
    function, events = deploy("process")
    warm_up(function)
    source.gate.clear()
    job = submit(services, source)
    _, outcome = events.poll(batch_size=1, seconds=8)
    assert outcome.failure == "timeout"
    assert source.asked.is_set(), "the job had not begun"
    assert events.held() == 1
    source.gate.set()
    wait_until_claimable(services, job)
    events.poll(batch_size=1, seconds=LIMIT_SECONDS)
    assert now(services, job).status == JobStatus.COMPLETED
    assert now(services, job).attempt == 2


def test_a_function_that_crashes_keeps_its_message(
    services: Services, source: Source, deploy: Deploy
) -> None:
    function, events = deploy("process")
    source.gate.clear()
    job = submit(services, source)
    with during(function.kill_server, source):
        _, outcome = events.poll(batch_size=1, seconds=LIMIT_SECONDS)
    assert outcome.failure not in (None, "timeout")
    assert events.held() == 1
    function.kill()
    source.gate.set()
    wait_until_claimable(services, job)
    events.poll(batch_size=1, seconds=LIMIT_SECONDS)
    assert now(services, job).status == JobStatus.COMPLETED


def test_a_message_lost_with_its_function_is_sent_anew_by_the_sweep(
    services: Services,
    source: Source,
    deploy: Deploy,
    localstack: LocalStackServer,
    environment: dict[str, str],
) -> None:
    """Visibility is an hour and a half on AWS: what brings a job back sooner is the sweep."""
    function, events = deploy("process")
    source.gate.clear()
    job = submit(services, source)
    with during(function.kill, source):
        events.poll(batch_size=1, seconds=LIMIT_SECONDS)
    localstack.sqs().purge_queue(QueueUrl=queue_url(localstack, environment, queue_for("pdf", 0)))
    source.gate.set()
    wait_until_claimable(services, job)
    assert sweep(services).resent == 1
    events.poll(batch_size=1, seconds=LIMIT_SECONDS)
    assert now(services, job).status == JobStatus.COMPLETED


def test_an_error_page_never_reads_as_success(services: Services, source: Source, deploy: Deploy) -> None:
    function, events = deploy("process")
    function.serve_with([sys.executable, "-c", HTML_500])
    submit(services, source)
    _, outcome = events.poll(batch_size=1, seconds=LIMIT_SECONDS)
    assert "answered with 500" in str(outcome.failure)
    assert events.held() == 1


def test_without_the_listed_codes_the_same_page_would_delete_the_message(
    services: Services, source: Source, deploy: Deploy
) -> None:
    """Why AWS_LWA_ERROR_STATUS_CODES is there; and that the test above can fail."""
    function, events = deploy("process", AWS_LWA_ERROR_STATUS_CODES="")
    function.serve_with([sys.executable, "-c", HTML_500])
    submit(services, source)
    _, outcome = events.poll(batch_size=1, seconds=LIMIT_SECONDS)
    assert outcome.failure is None
    assert events.held() == 0


def test_a_database_that_is_away_keeps_every_message(
    services: Services, source: Source, deploy: Deploy
) -> None:
    _, events = deploy(
        "process",
        MONGODB_URI="mongodb://127.0.0.1:1/?directConnection=true",
        SECRETARY_MONGODB__CONNECT_TIMEOUT_MS="500",
    )
    submit(services, source)
    submit(services, source)
    _, outcome = events.poll(batch_size=2, seconds=LIMIT_SECONDS)
    assert len(outcome.answer["batchItemFailures"]) == 2
    assert events.held() == 2


def test_a_webhook_that_was_refused_comes_again_until_it_is_taken(
    services: Services, source: Source, deploy: Deploy
) -> None:
    _, jobs = deploy("process")
    _, notifications = deploy("notify")
    job = submit(services, source, webhook={"url": source.url})
    jobs.poll(batch_size=1, seconds=LIMIT_SECONDS)
    source.hook_status = 500
    bodies, _ = notifications.poll(batch_size=1, seconds=LIMIT_SECONDS)
    assert len(bodies) == len(source.heard) == 1
    assert notifications.held() == 1, "nothing would bring it back"
    source.hook_status = 200
    again, outcome = notifications.poll(batch_size=1, seconds=LIMIT_SECONDS)
    assert (again, outcome.answer) == (bodies, {"batchItemFailures": []})
    assert notifications.held() == 0
    assert len(source.heard) == 2
    assert job.job_id in json.dumps(source.heard[1])


def test_an_event_of_another_form_is_an_error(deploy: Deploy) -> None:
    for name in ("process", "notify"):
        function, _ = deploy(name)
        outcome = function.invoke({"detail-type": "Scheduled Event"}, seconds=LIMIT_SECONDS)
        assert "answered with 400" in str(outcome.failure)


def test_the_sweep_answers_the_timer(environment: dict[str, str], tmp_path: Path) -> None:
    function = LambdaFunction("sweep", environment, log=tmp_path / "sweep.log")
    outcome = function.invoke({"version": "0", "detail-type": "Scheduled Event"}, seconds=LIMIT_SECONDS)
    function.kill()
    assert outcome.failure is None
    assert set(outcome.answer) >= {"resent", "removed"}


def warm_up(function: LambdaFunction) -> None:
    """Until the server listens, so that a short limit measures the job and not the start."""
    assert function.invoke({"Records": []}, seconds=LIMIT_SECONDS).answer == {"batchItemFailures": []}
