"""What the API answers, as models: the specification is made of them, and tests hold real answers to them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from common.jobs.lifecycle import BatchStatus, JobStatus


class Told(BaseModel):
    """Base of all answers: nothing is told that is not described."""

    model_config = ConfigDict(extra="forbid", defer_build=True)


class Fault(Told):
    """What went wrong: a code for programs, a title in the caller's language, details in English."""

    code: str
    title: str
    message: str
    details: dict[str, Any]
    request_id: str


class JobFault(Told):
    """Why a job failed."""

    code: str
    message: str
    details: dict[str, Any]


class JobProgress(Told):
    step: str
    percent: float
    message: str
    eta_seconds: float | None = None
    pages_done: int | None = None
    pages_total: int | None = None


class AccessRules(Told):
    visibility: Literal["private", "team", "public"]
    read_access: list[str]
    write_access: list[str]
    admin_access: list[str]


class Hook(Told):
    """A webhook as it is shown: its secret only in the answer that made it."""

    url: str
    events: list[str]
    include_markdown: bool
    include_metadata: bool
    disabled_at: AwareDatetime | None
    secret: str | None = None


class JobNote(Told):
    """Something a user should know although the job delivers."""

    code: str
    message: str
    page: int | None = None


class Delivered(Told):
    """What a finished job has made, in short."""

    markdown_file: str | None
    target_dir: str | None
    warnings: list[JobNote]
    is_from_cache: bool
    archive_url: str | None
    archive_filename: str | None
    archive_size: int | None
    archive_sha256: str | None


class JobResults(Delivered):
    """All that a finished job has made; files by the URL that serves them."""

    markdown_content: str | None
    page_texts: list[str]
    assets: list[str]
    metadata: dict[str, Any]
    structured_data: dict[str, Any]
    web_text: str | None
    video_transcript: str | None
    attachments_text: str | None
    archive_data: None


class LogLine(Told):
    timestamp: AwareDatetime
    level: str
    message: str
    attempt: int


class JobRow(Told):
    """One job in a list."""

    job_id: str
    job_type: str
    job_name: str | None
    status: JobStatus
    parameters: dict[str, Any]
    progress: JobProgress | None
    results: Delivered | None
    error: JobFault | None
    created_at: AwareDatetime
    updated_at: AwareDatetime
    processing_started_at: AwareDatetime | None
    completed_at: AwareDatetime | None
    batch_id: str | None
    user_id: str
    access_control: AccessRules
    retries: int
    max_attempts: int
    priority: int
    worker_id: str | None
    tags: list[str]
    attempt: int
    not_before: AwareDatetime | None
    expires_at: AwareDatetime | None
    cancel_requested: bool
    webhook: Hook | None
    version: int


class JobDetail(JobRow):
    """One job in full."""

    results: JobResults | None
    logs: list[LogLine]


class BatchDetail(Told):
    """A batch; its status and counts come from its members."""

    batch_id: str
    batch_name: str | None
    status: BatchStatus
    total_jobs: int
    pending_jobs: int
    processing_jobs: int
    completed_jobs: int
    failed_jobs: int
    cancelled_jobs: int
    isActive: bool  # noqa: N815 - the name the first clients know
    archived: bool
    parameters: dict[str, Any]
    user_id: str
    access_control: AccessRules
    archive_filename: str | None
    archive_size: int | None
    webhook: Hook | None
    created_at: AwareDatetime
    updated_at: AwareDatetime
    completed_at: AwareDatetime | None
    version: str


class JobIds(Told):
    job_ids: list[str]


class BatchIds(JobIds):
    batch_id: str


class ListPage(Told):
    """`total` is counted up to a bound; `total_is_exact` says whether it was reached."""

    total: int
    total_is_exact: bool
    next_cursor: str | None
    version: str


class JobPage(ListPage):
    jobs: list[JobRow]


class BatchPage(ListPage):
    batches: list[BatchDetail]


class LogPage(Told):
    logs: list[LogLine]
    total: int


class JobTypeRow(Told):
    job_type: str
    summary: str
    json_schema: Annotated[dict[str, Any], Field(serialization_alias="schema")]


class JobTypes(Told):
    job_types: list[JobTypeRow]


class TemplateLanguage(Told):
    language: str
    bundled: bool


class TemplateRow(Told):
    name: str
    languages: list[TemplateLanguage]


class Templates(Told):
    templates: list[TemplateRow]


class ArchiveLink(Told):
    """A URL that works for a while."""

    url: str
    expires_at: AwareDatetime
    filename: str
    size: int
    sha256: str


class ArchiveInWork(Told):
    """The job that packs an archive; ask again when it has had some time."""

    job_id: str
    status: JobStatus
    progress: JobProgress | None
    error: JobFault | None


class UploadPlace(Told):
    """Where the bytes go: PUT them there with these headers, before the URL expires."""

    upload_id: str
    url: str
    method: str
    headers: dict[str, str]
    expires_at: AwareDatetime


class FileLink(Told):
    url: str
    expires_at: AwareDatetime
    path: str
    size: int
    sha256: str


class FileRow(Told):
    path: str
    size: int
    sha256: str
    media_type: str
    url: str


class FileList(Told):
    files: list[FileRow]
    total: int


class JobRemoval(Told):
    """`deleted` is false while running work has still to stop; the rest follows by itself."""

    job_id: str
    deleted: bool


class BatchRemoval(Told):
    batch_id: str
    deleted: bool


class RetriedBatch(Told):
    batch: BatchDetail
    job_ids: list[str]


class Alive(Told):
    alive: bool


class Ready(Told):
    ready: bool
    parts: dict[str, bool]


class ApiKey(Told):
    """A key as it is listed: without itself."""

    key_id: str
    name: str | None
    user_id: str
    groups: list[str]
    is_admin: bool
    rights: list[str]
    created_at: AwareDatetime | None
    expires_at: AwareDatetime | None
    revoked_at: AwareDatetime | None


class NewApiKey(ApiKey):
    """The only answer that shows the key."""

    key: str


class KeyList(Told):
    keys: list[ApiKey]
    total: int


class RevokedKey(Told):
    key_id: str
    revoked: bool


class DeliveryRow(Told):
    """One webhook and all attempts to deliver it."""

    delivery_id: str
    event_type: str
    job_id: str | None
    batch_id: str | None
    reason: str | None
    created_at: AwareDatetime
    tries: int
    not_before: AwareDatetime | None
    state: str
    attempts: list[dict[str, Any]]


class DeliveryList(Told):
    deliveries: list[DeliveryRow]
    total: int


class WebhookTrial(Told):
    delivered: bool
    message_id: str
    status: int | None
    reason: str | None
    milliseconds: int
    secret: str | None = None


class OldResults(JobResults):
    """With the archive inside, as the first clients read it."""

    archive_data: str | None  # type: ignore[assignment]
    markdown_url: str | None


class OldJobRow(JobRow):
    started_at: AwareDatetime | None
    results: Delivered | OldResults | None
    logs: list[LogLine] = []


class OldJob(JobDetail):
    started_at: AwareDatetime | None
    results: OldResults | None


class OldBatch(BatchDetail):
    job_ids: list[str] = []


def page_of(model: type[ListPage]) -> dict[str, Any]:
    """A page's own fields, which job routes repeat beside the envelope."""
    return {name: field.annotation for name, field in model.model_fields.items()}


class StatusCounts(Told):
    total: int
    pending: int
    processing: int
    completed: int
    failed: int
    cancelled: int


class TypeStatistics(StatusCounts):
    """Durations are those of the newest completed jobs."""

    job_type: str
    median_seconds: float | None
    slowest_tenth_seconds: float | None


class BatchCounts(Told):
    total: int
    active: int


class TrackCounts(Told):
    id: Annotated[str, Field(alias="_id")]
    count: int
    completed: int
    failed: int


class EndedInHour(Told):
    hour: AwareDatetime
    status: str
    count: int
    mean_seconds: float | None


class QueueState(Told):
    depth: int
    oldest_seconds: float | None


class Statistics(Told):
    """As they were a moment ago (`as_of`): large stores are counted from time to time."""

    jobs: StatusCounts
    types: list[TypeStatistics]
    batches: BatchCounts
    tracks: list[TrackCounts]
    throughput: list[EndedInHour]
    success_rate: float | None
    queue: QueueState
    as_of: AwareDatetime
    window: str


class ImportedSchedule(Told):
    """A batch of sessions, or on a dry run the jobs it would have; `skipped` are talks without a page."""

    event: str
    total: int
    skipped: list[str]
    skipped_total: int
    dry_run: bool = False
    jobs: list[dict[str, Any]] | None = None
    batch_id: str | None = None
    job_ids: list[str] | None = None


class SessionOutput(Told):
    """Everything a session delivers; `archive_data` is Base64, and null where the archive is too large."""

    markdown_content: str | None
    markdown_file: str | None
    archive_data: str | None
    archive_filename: str | None
    archive_url: str | None
    archive_size: int | None
    archive_sha256: str | None
    attachments: list[str]
    web_text: str | None
    video_transcript: str | None
    attachments_text: str | None
    structured_data: dict[str, Any]
    page_texts: list[str] | None
    target_dir: str | None
    warnings: list[dict[str, Any]] | None


class SessionDone(Told):
    job_id: str
    status: JobStatus
    input: dict[str, Any]
    output: SessionOutput


class SessionJob(Told):
    job_id: str
    status: JobStatus


class Estimate(Told):
    """What a job would be, told without running it; null is what cannot be known."""

    job_type: str
    parameters: dict[str, Any]
    media_type: str | None
    size: int | None
    sha256: str | None
    pages: int | None
    is_cached: bool | None
    model_calls: int | None
    expected_seconds: float | None
    notes: list[str]
