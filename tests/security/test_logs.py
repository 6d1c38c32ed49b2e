"""Every line of our logs is one JSON object, and none of them holds a secret."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import httpx

from common.webhooks.signing import new_secret
from tests.servers.site import site
from tests.servers.stack import StackServer
from tests.unit.outbound.loopback import Loopback

SAMPLES = Path(__file__).parents[2] / "samples"
OURS = ("gateway", "worker-1", "timer")
PATIENCE_SECONDS = 60.0


def lines(stack: StackServer) -> list[dict[str, Any]]:
    found = []
    for name in OURS:
        for line in (stack.home / "logs" / f"{name}.log").read_text("utf-8").splitlines():
            found.append(json.loads(line))
    return found


def everything(stack: StackServer) -> str:
    return "\n".join(path.read_text("utf-8", "replace") for path in (stack.home / "logs").glob("*.log"))


def ended(api: httpx.Client, job_id: str) -> dict[str, Any]:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        job: dict[str, Any] = api.get(f"/api/jobs/{job_id}", params={"wait": 20}).json()["job"]
        if job["status"] in ("completed", "failed"):
            return job
    raise AssertionError("the job did not end in time")


def test_what_users_entrust_to_us_is_in_no_log(stack: StackServer) -> None:
    secret, token = new_secret().text, "Bearer entrusted-to-us"
    with (
        Loopback(routes={"/hook": lambda exchange: exchange.reply(204)}) as receiver,
        site(SAMPLES) as address,
        stack.client() as api,
    ):
        hook = {"url": receiver.url("/hook?t=in-the-query"), "secret": secret, "headers": {"X-Token": token}}
        good = {"url": f"{address}/slides.pdf?signature=of-the-source", "include_images": True}
        bad = {"url": "http://169.254.169.254/latest?signature=of-the-source"}
        jobs = [
            api.post("/api/jobs", json={"job_type": "pdf", "parameters": parameters, "webhook": hook}).json()
            for parameters in (good, bad)
        ]
        done, refused = (ended(api, job["job"]["job_id"]) for job in jobs)
        signed = api.get(done["results"]["archive_url"]).headers["Location"]
        api.get("/api/jobs", headers={"Authorization": token, "X-API-Key": "sk_secret"})
        deadline = time.monotonic() + PATIENCE_SECONDS
        while len(receiver.seen) < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
    ours = [
        json.loads((stack.home / "credentials.json").read_text())["secret_access_key"],
        (stack.home / "webhooks.key").read_text(),
        signed.partition("?")[2],
    ]
    text = everything(stack)

    assert refused["error"]["code"] == "URL_NOT_ALLOWED"
    assert done["job_id"] in text, "the logs tell of this job"
    theirs = [secret, token, "in-the-query", "of-the-source", "sk_secret", "X-Amz-Signature"]
    assert [told for told in ours + theirs if told in text] == []


def test_every_line_is_json_and_a_request_can_be_found_by_its_id(stack: StackServer) -> None:
    with stack.client() as api:
        answer = api.get("/api/jobs/job-unknown", headers={"X-Request-ID": "find-me-1"})
    assert answer.headers["X-Request-ID"] == "find-me-1"

    written = lines(stack)
    assert {"time", "level", "event"} <= set.intersection(*(set(line) for line in written))
    assert [line for line in written if (line["event"], line.get("request_id")) == ("request", "find-me-1")]


def test_the_key_and_the_credentials_are_readable_by_their_owner_alone(stack: StackServer) -> None:
    for name in ("webhooks.key", "credentials.json"):
        assert (stack.home / name).stat().st_mode & 0o077 == 0
