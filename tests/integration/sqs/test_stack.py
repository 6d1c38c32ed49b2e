"""`secretary up` with SQS and S3 from elsewhere: each setting replaces its embedded part."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest
from pymongo import MongoClient

from infra.local.stack import mongodb_uri
from tests.integration.foundation.test_bad_input import run
from tests.servers.localstack import LocalStackServer
from tests.servers.site import site
from tests.servers.stack import StackServer

SAMPLES = Path(__file__).parents[3] / "samples"


def test_one_pdf_travels_over_sqs_and_s3(
    tmp_path: Path, cloud: dict[str, str], localstack: LocalStackServer
) -> None:
    stack = StackServer(tmp_path / "home", environment=cloud)
    stack.start()
    try:
        with site(SAMPLES) as address, stack.client() as api:
            job = run(api, {"url": f"{address}/slides.pdf"})
            signed = api.get(job["results"]["archive_url"]).headers["Location"]

        assert job["status"] == "completed"
        assert "# What goes wrong today" in job["results"]["markdown_content"]
        assert signed.startswith(f"{localstack.url}/{cloud['S3_BUCKET']}/archives/")
        assert len(httpx.get(signed).content) == job["results"]["archive_size"]
        assert _started(stack) == {"mongod", "gateway", "worker-1", "timer"}
        assert _messages_in_mongodb(stack) == 0
        assert f"{cloud['SQS_QUEUE_PREFIX']}-jobs-pdf" in _queue_names(localstack, cloud["SQS_QUEUE_PREFIX"])
    finally:
        stack.stop()


def test_a_missing_bucket_or_queue_is_said_at_the_start(tmp_path: Path, cloud: dict[str, str]) -> None:
    no_bucket = StackServer(tmp_path / "a", environment=cloud | {"S3_BUCKET": "not-there"})
    no_queue = StackServer(tmp_path / "b", environment=cloud | {"SQS_CREATE_QUEUES": "false"})

    with pytest.raises(RuntimeError, match="has no bucket not-there"):
        no_bucket.start()
    with pytest.raises(RuntimeError, match=f"There is no queue {cloud['SQS_QUEUE_PREFIX']}-notify"):
        no_queue.start()


def _started(stack: StackServer) -> set[str]:
    return set(json.loads((stack.home / "state.json").read_text())["processes"])


def _messages_in_mongodb(stack: StackServer) -> int:
    with MongoClient[dict[str, object]](mongodb_uri(stack.home)) as client:
        assert client["secretary"]["jobs"].count_documents({}) == 1
        return client["secretary"]["messages"].count_documents({})


def _queue_names(localstack: LocalStackServer, prefix: str) -> set[str]:
    urls = localstack.sqs().list_queues(QueueNamePrefix=prefix)["QueueUrls"]
    return {url.rpartition("/")[2] for url in urls}
