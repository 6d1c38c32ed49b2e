"""Function session: a small session in one call."""

from __future__ import annotations

from common.errors import Forbidden
from common.http.answers import SessionDone, SessionJob
from common.http.message import Answer, Request
from common.http.operation import Operation
from common.http.router import Router
from common.jobs.session_call import process_session
from common.processing.session.parameters import SessionParameters

EXAMPLE = {"event": "FOSDEM 2025", "session": "Welcome", "url": "https://example.org/welcome/"}

router = Router("session-process")


@router.route(
    "POST",
    "/api/session/process",
    operation=Operation(
        summary="A small session in one call", tag="Sessions", body=SessionParameters, status=200,
        other_statuses=(202,), data=SessionDone, top={"job": SessionJob}, errors=(Forbidden,),
        idempotent=True, example=EXAMPLE,
    ),
)  # fmt: skip
def process(request: Request) -> Answer:
    """200 with everything; 202 with the job's id when it takes longer or is too big for one answer."""
    parameters = request.json()
    done = process_session(request.services, request.caller, parameters, key=request.idempotency_key)
    job = done.job
    results = job.results or {}
    return Answer(
        status=200 if done.is_whole else 202,
        data={
            "job_id": job.job_id,
            "status": job.status.value,
            "input": job.parameters,
            "output": done.output,
        },
        top={"job": {"job_id": job.job_id, "status": job.status.value}},
        headers={} if done.is_whole else {"Location": f"/api/jobs/{job.job_id}"},
        is_from_cache=bool(results.get("is_from_cache")),
        llm_requests=tuple(results.get("llm_requests", ())),
    )
