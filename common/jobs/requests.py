"""What callers send: validated here, and nowhere else."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from common.errors import ValidationFailed
from common.processing.registry import job_type

Name = Annotated[str, Field(min_length=1, max_length=200)]
Names = Annotated[list[Name], Field(max_length=100)]
FIRST_PRIORITY, LAST_PRIORITY = 0, 9
Wanted = TypeVar("Wanted", bound=BaseModel)


class Body(BaseModel):
    """Base of all request bodies: unknown fields are refused by name."""

    model_config = ConfigDict(extra="forbid")


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
    max_attempts: Annotated[int, Field(ge=1, le=10)] | None = None
    tags: Names = []
    access_control: AccessControl = AccessControl()
    user_id: str | None = None  # accepted from old clients; who calls is known from elsewhere


class BatchRequest(Body):
    """Many jobs; `parameters` are defaults for each of them."""

    jobs: list[dict[str, Any]]
    batch_name: Name | None = None
    parameters: dict[str, Any] = {}
    access_control: AccessControl = AccessControl()
    total_jobs: int | None = None  # old clients count for us
    user_id: str | None = None


def parse_body(model: type[Wanted], body: Any, *, where: str = "") -> Wanted:
    try:
        return model.model_validate(body)
    except ValidationError as error:
        raise _refusal(error, where) from None


def parse_job(body: dict[str, Any], *, where: str = "") -> tuple[JobRequest, dict[str, Any]]:
    """The request and its parameters as the job type's model has filled them."""
    try:
        request = JobRequest.model_validate(body)
    except ValidationError as error:
        raise _refusal(error, where) from None
    kind = job_type(request.job_type)
    given = dict(request.parameters)
    extra = given.pop("extra", None)
    if extra is not None and not isinstance(extra, dict):
        raise _wrong(f"{where}parameters.extra", "expected an object")
    try:
        parameters = kind.model().model_validate((extra or {}) | given)
    except ValidationError as error:
        raise _refusal(error, f"{where}parameters.") from None
    return request, parameters.model_dump(mode="json", exclude_none=True)


def parse_batch(body: dict[str, Any], *, at_most: int) -> BatchRequest:
    inner = body.get("batch")
    try:
        request = BatchRequest.model_validate(inner if isinstance(inner, dict) else body)
    except ValidationError as error:
        raise _refusal(error, "") from None
    if len(request.jobs) > at_most:
        raise _wrong("jobs", f"expected at most {at_most} jobs, found {len(request.jobs)}")
    return request


def canonical_type(name: str) -> str:
    return job_type(name).name


def due(not_before: datetime | None, now: datetime) -> bool:
    return not_before is None or not_before <= now


def _wrong(field: str, message: str) -> ValidationFailed:
    return ValidationFailed(f"{field}: {message}", details={"fields": [{"field": field, "message": message}]})


def _refusal(error: ValidationError, where: str) -> ValidationFailed:
    """Each wrong field with its path; never the value, which may be a secret."""
    problems = error.errors(include_url=False, include_input=False, include_context=False)
    fields = [
        {"field": where + ".".join(map(str, item["loc"])) if item["loc"] else where.rstrip("."),
         "message": item["msg"].removeprefix("Value error, ")}
        for item in problems
    ]  # fmt: skip
    summary = "; ".join(f"{item['field']}: {item['message']}" for item in fields[:5])
    return ValidationFailed(summary, details={"fields": fields})
