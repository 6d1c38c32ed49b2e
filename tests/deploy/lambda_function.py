"""One Lambda function with its event source: real runtime client, real server, real messages."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from infra.aws.document import functions, load
from infra.local.ports import free_ports
from infra.local.template import ROOT
from tests.deploy.runtime_api import Outcome, RuntimeApi

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

HANDLER = "tests.deploy.adapter.handler"
WAIT_SECONDS = 10


class LambdaFunction:
    """An execution environment: server and runtime client live and die together, as in Lambda."""

    def __init__(self, name: str, environment: Mapping[str, str], *, log: Path) -> None:
        template = load()
        everywhere = template["Globals"]["Function"]["Environment"]["Variables"]
        own = functions(template)[f"{name.capitalize()}Function"]["Environment"]["Variables"]
        adapter = {key: value for key, value in (everywhere | own).items() if key.startswith("AWS_LWA_")}
        (port,) = free_ports(1)
        self._api: RuntimeApi | None = None
        self._environment = dict(os.environ) | adapter | dict(environment) | {
            "FUNCTION_TARGET": name, "PORT": str(port), "AWS_LWA_PORT": str(port),
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        }  # fmt: skip
        self._serve = [sys.executable, "-m", "infra.container.serve", name]
        self._log = log
        self._children: list[subprocess.Popen[bytes]] = []

    def serve_with(self, command: Sequence[str]) -> None:
        """Another server in the function's place; its port is the last argument."""
        self._serve = [*command, self._environment["PORT"]]

    def start(self) -> RuntimeApi:
        """Each environment has an API of its own: none hears what an ended one still asks for."""
        api = RuntimeApi()
        environment = self._environment | {"AWS_LAMBDA_RUNTIME_API": api.address}
        client = [sys.executable, "-m", "awslambdaric", HANDLER]
        with self._log.open("ab") as output:
            self._children = [
                subprocess.Popen(
                    command, cwd=ROOT, env=environment, stdout=output, stderr=output,
                    start_new_session=True,
                )
                for command in (self._serve, client)
            ]  # fmt: skip
        return api

    def kill(self) -> None:
        """At once and with all that it started: what Lambda does at the time limit, and what a crash does."""
        for child in self._children:
            subprocess.run(["kill", "-KILL", "--", f"-{child.pid}"], check=False, capture_output=True)
            child.wait()
        self._children = []
        if self._api:
            self._api.close()
        self._api = None

    def kill_server(self) -> None:
        server = self._children[0]
        subprocess.run(["kill", "-KILL", "--", f"-{server.pid}"], check=True)
        server.wait()

    def invoke(self, event: dict[str, Any], *, seconds: float) -> Outcome:
        """A new environment where there is none; one that exceeds its time is ended."""
        self._api = self._api or self.start()
        outcome = self._api.invoke(event, seconds=seconds, is_alive=self._is_alive)
        if outcome.failure in ("timeout", "crash"):
            self.kill()
        return outcome

    def _is_alive(self) -> bool:
        return bool(self._children) and all(child.poll() is None for child in self._children)


class EventSource:
    """Moves messages from a queue to a function and deletes what succeeded: SQS and Lambda's own rules."""

    def __init__(
        self, sqs: SQSClient, url: str, function: LambdaFunction, *, visibility_seconds: int
    ) -> None:
        self._sqs = sqs
        self._url = url
        self._function = function
        self._visibility_seconds = visibility_seconds
        self._arn = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"][
            "QueueArn"
        ]

    def poll(self, *, batch_size: int, seconds: float) -> tuple[list[str], Outcome]:
        """One batch: the bodies that were delivered, and what the function said."""
        received: list[Any] = []
        for _ in range(WAIT_SECONDS):
            answer = self._sqs.receive_message(
                QueueUrl=self._url, MaxNumberOfMessages=batch_size - len(received), WaitTimeSeconds=1,
                VisibilityTimeout=self._visibility_seconds, AttributeNames=["All"],
            )  # fmt: skip
            received += answer.get("Messages", [])
            if len(received) >= batch_size:
                break
        records = [
            {
                "messageId": item["MessageId"],
                "receiptHandle": item["ReceiptHandle"],
                "body": item["Body"],
                "attributes": item["Attributes"],
                "messageAttributes": {},
                "eventSource": "aws:sqs",
                "eventSourceARN": self._arn,
            }
            for item in received
        ]
        outcome = self._function.invoke({"Records": records}, seconds=seconds)
        for item in received:
            if item["MessageId"] not in self._kept(outcome, {record["messageId"] for record in records}):
                self._sqs.delete_message(QueueUrl=self._url, ReceiptHandle=item["ReceiptHandle"])
        return [item["Body"] for item in received], outcome

    @staticmethod
    def _kept(outcome: Outcome, sent: set[str]) -> set[str]:
        """No answer keeps all. An answer keeps what it names; one that names nothing keeps nothing."""
        if outcome.failure is not None:
            return sent
        if not isinstance(outcome.answer, dict):
            return set()
        named = {item.get("itemIdentifier") for item in outcome.answer.get("batchItemFailures") or ()}
        return sent if not named <= sent else named

    def held(self) -> int:
        """Messages in the queue: visible, in flight or delayed."""
        names: Any = [f"ApproximateNumberOfMessages{kind}" for kind in ("", "NotVisible", "Delayed")]
        answer = self._sqs.get_queue_attributes(QueueUrl=self._url, AttributeNames=names)
        return sum(int(answer["Attributes"][name]) for name in names)
