"""What became of every acknowledged job: lost, stuck, done twice or wrong."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from common.jobs.database import Document
from common.jobs.lifecycle import FINAL
from tests.faults.callers import Acknowledged
from tests.faults.stack import FaultyStack


@dataclass
class Verdict:
    """Each list names its jobs or batches; all must be empty."""

    lost: list[str] = field(default_factory=list)
    unexpected: list[str] = field(default_factory=list)
    stuck: list[str] = field(default_factory=list)
    duplicated: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)

    @property
    def violations(self) -> int:
        return sum(map(len, (self.lost, self.unexpected, self.stuck, self.duplicated, self.wrong)))


def open_jobs(stack: FaultyStack) -> int:
    return stack.database["jobs"].count_documents({"status": {"$in": ["pending", "processing"]}})


def judge(stack: FaultyStack, known: Acknowledged) -> Verdict:
    verdict = Verdict()
    stored = {job["_id"]: job for job in stack.database["jobs"].find()}
    verdict.lost = sorted(set(known.jobs) - set(stored))
    verdict.unexpected = sorted(set(stored) - set(known.jobs))
    for job_id, job in stored.items():
        verdict.statuses[job["status"]] += 1
        if job["status"] not in FINAL:
            verdict.stuck.append(job_id)
        elif _ends(job) != 1:
            verdict.duplicated.append(job_id)
        elif not _is_right(stack, job):
            verdict.wrong.append(job_id)
    for batch_id, members in known.batches.items():
        batch = stack.database["batches"].find_one({"_id": batch_id})
        if batch is None or not batch["closed_at"] or _count(stack, batch_id) != len(members):
            verdict.wrong.append(batch_id)
    return verdict


def _ends(job: Document) -> int:
    """Every end leaves a line."""
    return sum(line["message"] in FINAL for line in job["logs"])


def _is_right(stack: FaultyStack, job: Document) -> bool:
    if job["job_type"] == "fail":
        return (job["status"], job["error"]["code"]) == ("failed", "UNSUPPORTED_FILE")
    if job["status"] != "completed" or job["tries"] > job["max_attempts"]:
        return False
    if job["job_type"] != "work":
        return True
    key = f"jobs/{job['_id']}/{job['attempt']}/result.md"
    right = f"# {job['parameters']['marker']}\n".encode()
    keys = [file["key"] for file in job["files"]]
    return keys == [key] and stack.objects.get(key) == right


def _count(stack: FaultyStack, batch_id: str) -> int:
    return stack.database["jobs"].count_documents({"batch_id": batch_id, "status": {"$in": list(FINAL)}})
