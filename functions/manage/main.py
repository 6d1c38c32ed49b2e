"""Function manage: change, cancel, restart, pause, archive and delete."""

from __future__ import annotations

import flask
import functions_framework

from common.http.message import Answer, Request
from common.http.router import Router
from common.jobs.batch_control import archive_batch, cancel_batch, delete_batch, retry_failed, toggle_active
from common.jobs.control import cancel_job, delete_job, restart_job, update_job
from common.jobs.model import Batch, Job
from common.jobs.view import batch_view, job_summary
from functions.manage import keys, webhooks

router = Router("job-manage")
router.include(keys.router)
router.include(webhooks.router)


@router.route("PUT", "/api/jobs/{job_id}")
def update(request: Request) -> Answer:
    return _job(update_job(request.services, request.caller, request.arguments["job_id"], request.json()))


@router.route("POST", "/api/jobs/{job_id}/cancel")
def cancel(request: Request) -> Answer:
    return _job(cancel_job(request.services, request.caller, request.arguments["job_id"]))


@router.route("POST", "/api/jobs/{job_id}/restart")
def restart(request: Request) -> Answer:
    return _job(restart_job(request.services, request.caller, request.arguments["job_id"], request.json()))


@router.route("DELETE", "/api/jobs/{job_id}")
def delete(request: Request) -> Answer:
    job_id = request.arguments["job_id"]
    return _removal({"job_id": job_id}, gone=delete_job(request.services, request.caller, job_id))


@router.route("POST", "/api/batches/{batch_id}/cancel")
def cancel_whole_batch(request: Request) -> Answer:
    return _batch(cancel_batch(request.services, request.caller, request.arguments["batch_id"]))


@router.route("POST", "/api/batches/{batch_id}/retry-failed")
def retry_failed_members(request: Request) -> Answer:
    batch, job_ids = retry_failed(request.services, request.caller, request.arguments["batch_id"])
    view = batch_view(batch)
    return Answer(status=202, data={"batch": view, "job_ids": job_ids}, top={"batch": view})


@router.route("POST", "/api/batches/{batch_id}/archive")
def archive(request: Request) -> Answer:
    batch_id = request.arguments["batch_id"]
    return _batch(archive_batch(request.services, request.caller, batch_id, request.json()))


@router.route("POST", "/api/batches/{batch_id}/toggle-active")
def switch_active(request: Request) -> Answer:
    batch_id = request.arguments["batch_id"]
    return _batch(toggle_active(request.services, request.caller, batch_id, request.json()))


@router.route("DELETE", "/api/batches/{batch_id}")
def delete_whole_batch(request: Request) -> Answer:
    batch_id = request.arguments["batch_id"]
    return _removal({"batch_id": batch_id}, gone=delete_batch(request.services, request.caller, batch_id))


def _job(job: Job) -> Answer:
    """202 while the work behind the answer is still to be done."""
    view = job_summary(job)
    return Answer(status=200 if job.is_final else 202, data=view, top={"job": view})


def _batch(batch: Batch) -> Answer:
    view = batch_view(batch)
    return Answer(data=view, top={"batch": view})


def _removal(what: dict[str, str], *, gone: bool) -> Answer:
    return Answer(status=200 if gone else 202, data=what | {"deleted": gone})


@functions_framework.http
def manage(request: flask.Request) -> flask.Response:
    return router(request)
