"""The archive of a batch, asked for at the very moment its last member ends."""

from __future__ import annotations

import httpx

from common.http.answers import ArchiveInWork
from common.services import Services
from tests.integration.api.work import finish, pdf


def test_it_is_there_before_anyone_has_closed_the_batch(api: httpx.Client, services: Services) -> None:
    batch = api.post("/api/batches", json={"jobs": [pdf()]}).raise_for_status().json()["batch"]
    (job,) = api.get("/api/jobs", params={"batch_id": batch["batch_id"]}).json()["jobs"]
    finish(services, job["job_id"])
    services.database["batches"].update_one({"_id": batch["batch_id"]}, {"$set": {"closed_at": None}})

    answer = api.get(f"/api/batches/{batch['batch_id']}/download-archive", params={"redirect": "false"})

    assert (answer.status_code, answer.json()["data"]["status"]) == (202, "pending")
    ArchiveInWork.model_validate(answer.json()["data"])
    told = api.get("/api/openapi.json").json()["paths"]["/api/batches/{batch_id}/download-archive"]["get"]
    assert {"200", "202", "302"} <= told["responses"].keys()
