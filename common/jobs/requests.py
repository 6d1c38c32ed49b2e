"""What callers send: validated here, and nowhere else."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import to_json

from common.errors import ValidationFailed
from common.processing.registry import job_type
from common.webhooks.request import WebhookRequest

NAME_CHARACTERS = 200
Name = Annotated[str, Field(min_length=1, max_length=NAME_CHARACTERS)]
Names = Annotated[list[Name], Field(max_length=100)]
FIRST_PRIORITY, LAST_PRIORITY = 0, 9
OLD_DEFAULT_TYPE = "session"
Wanted = TypeVar("Wanted", bound=BaseModel)


class Body(BaseModel):
    """Base of all request bodies: unknown fields are refused by name, and `"5"` is not a number."""

    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)


class AccessControl(Body):
    """Who else may see or change a job."""

    visibility: Literal["private", "team", "public"] = "private"
    read_access: Names = []
    write_access: Names = []
    admin_access: Names = []


class JobRequest(Body):
    """One job."""

    job_type: Annotated[str, Field(min_length=1, max_length=100)]
    parameters: dict[str, Any] = {}
    job_name: Name | None = None
    priority: Annotated[int, Field(ge=FIRST_PRIORITY, le=LAST_PRIORITY)] = 1
    not_before: AwareDatetime | None = None
    expires_at: AwareDatetime | None = None  # once it has ended; else by the settings
    max_attempts: Annotated[int, Field(ge=1, le=10)] | None = None
    tags: Names = []
    access_control: AccessControl = AccessControl()
    webhook: WebhookRequest | None = None
    user_id: Name | None = None  # accepted from old clients; who calls is known from elsewhere


class OldJobRequest(JobRequest):
    """One job of a client that knew sessions only."""

    job_type: Annotated[str, Field(min_length=1, max_length=100)] = OLD_DEFAULT_TYPE


class BatchRequest(Body):
    """Many jobs; `parameters` are defaults for each of them."""

    jobs: list[dict[str, Any]]  # each one a JobRequest, once the shared parameters are in it
    batch_name: Name | None = None
    parameters: dict[str, Any] = {}
    access_control: AccessControl = AccessControl()
    webhook: WebhookRequest | None = None
    total_jobs: int | None = None  # old clients count for us
    user_id: Name | None = None


class OldBatchRequest(BatchRequest):
    """Many jobs of a client that knew sessions only."""


def parse_body(model: type[Wanted], body: Any, *, where: str = "") -> Wanted:
    """Strictly as JSON, where dates are texts and nothing is a number by chance."""
    try:
        return model.model_validate_json(to_json(body), strict=True)
    except ValidationError as error:
        raise refusal(error, where) from None


def parse_job(body: Any, *, where: str = "") -> tuple[JobRequest, dict[str, Any]]:
    """The request and its parameters as the job type's model has filled them."""
    request = parse_body(JobRequest, body, where=where)
    kind = job_type(request.job_type)
    given = dict(request.parameters)
    extra = given.pop("extra", None)
    if extra is not None and not isinstance(extra, dict):
        raise wrong_field(f"{where}parameters.extra", "expected an object")
    parameters = parse_body(kind.model(), (extra or {}) | given, where=f"{where}parameters.")
    return request, parameters.model_dump(mode="json", exclude_none=True)


def parse_old_job(body: dict[str, Any]) -> dict[str, Any]:
    """The first clients knew sessions only, and did not always say so."""
    return body if body.get("job_type") is not None else body | {"job_type": OLD_DEFAULT_TYPE}


def parse_old_batch(body: dict[str, Any]) -> dict[str, Any]:
    inner = body["batch"] if isinstance(body.get("batch"), dict) else body
    jobs = inner.get("jobs")
    if not isinstance(jobs, list):
        return inner
    return inner | {"jobs": [parse_old_job(job) if isinstance(job, dict) else job for job in jobs]}


def parse_batch(body: dict[str, Any], *, at_most: int) -> BatchRequest:
    inner = body.get("batch")
    request = parse_body(BatchRequest, inner if isinstance(inner, dict) else body)
    if len(request.jobs) > at_most:
        raise wrong_field("jobs", f"expected at most {at_most} jobs, found {len(request.jobs)}")
    return request


def canonical_type(name: str) -> str:
    return job_type(name).name


def wrong_field(field: str, message: str) -> ValidationFailed:
    return ValidationFailed(f"{field}: {message}", details={"fields": [{"field": field, "message": message}]})


def refusal(error: ValidationError, where: str) -> ValidationFailed:
    """Each wrong field with its path; never the value, which may be a secret."""
    problems = error.errors(include_url=False, include_input=False, include_context=False)
    fields = [
        {"field": where + ".".join(map(str, item["loc"])) if item["loc"] else where.rstrip("."),
         "message": item["msg"].removeprefix("Value error, ")}
        for item in problems
    ]  # fmt: skip
    summary = "; ".join(f"{item['field']}: {item['message']}" for item in fields[:5])
    return ValidationFailed(summary, details={"fields": fields})
