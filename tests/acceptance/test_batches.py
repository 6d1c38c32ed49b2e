"""Many documents in one request."""

from __future__ import annotations

from tests.acceptance.user import User, pdf


def test_a_batch_of_good_documents_is_completed(user: User, sources: str) -> None:
    jobs = [pdf(f"{sources}/{name}.pdf") for name in ("slides", "report", "slides")]

    batch = user.wait_for_batch(user.submit_batch(jobs, batch_name="All of it"))

    assert (batch["status"], batch["total_jobs"], batch["completed_jobs"]) == ("completed", 3, 3)
    assert batch["batch_name"] == "All of it"


def test_a_batch_with_one_bad_document_is_partial_and_counts_it(user: User, sources: str) -> None:
    jobs = [pdf(f"{sources}/slides.pdf"), pdf(f"{sources}/nothing.pdf")]

    batch = user.wait_for_batch(user.submit_batch(jobs))

    assert batch["status"] == "partial"
    assert (batch["completed_jobs"], batch["failed_jobs"], batch["pending_jobs"]) == (1, 1, 0)


def test_a_batch_of_bad_documents_has_failed(user: User, sources: str) -> None:
    batch = user.wait_for_batch(user.submit_batch([pdf(f"{sources}/nothing.pdf")] * 2))

    assert (batch["status"], batch["failed_jobs"]) == ("failed", 2)


def test_the_members_of_a_batch_are_listed(user: User, sources: str) -> None:
    answer = user.http.post("/api/batches", json={"jobs": [pdf(f"{sources}/slides.pdf")] * 12}).json()

    listed = user.http.get("/api/jobs", params={"batch_id": answer["data"]["batch_id"]}).json()

    assert {job["job_id"] for job in listed["jobs"]} == set(answer["data"]["job_ids"])
    assert listed["total"] == 12
    assert user.wait_for_batch(answer["batch"])["completed_jobs"] == 12


def test_one_invalid_member_refuses_the_whole_batch(user: User, sources: str) -> None:
    before = user.http.get("/api/batches").json()["total"]

    answer = user.http.post(
        "/api/batches", json={"jobs": [pdf(f"{sources}/slides.pdf"), {"job_type": "pdf", "parameters": {}}]}
    )

    assert answer.status_code == 422
    assert "jobs.1." in answer.json()["error"]["message"]
    assert user.http.get("/api/batches").json()["total"] == before
