"""All settings in one typed object: config.yaml overlaid by the environment, read once.

Nothing else in the code reads the environment.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)

from common.errors import SecretaryError

PREFIX = "SECRETARY_"
# Read by the command line; no settings.
OUTSIDE_NAMES = {"CONFIG", "HOME", "PORT", "LANGUAGE", "URL", "API_KEY"}

MEBIBYTE = 1024**2
GIBIBYTE = 1024**3
WEEK_SECONDS = 7 * 24 * 3600  # the longest life S3 gives a signed URL
SEALING_KEY_LENGTH = 32  # at least

# Names that other tools use too, and the setting each one fills.
USUAL_NAMES: dict[str, tuple[str, str]] = {
    "MONGODB_URI": ("mongodb", "uri"),
    "MONGODB_DB_NAME": ("mongodb", "db_name"),
    "S3_ENDPOINT_URL": ("objects", "endpoint_url"),
    "S3_BUCKET": ("objects", "bucket"),
    "AWS_REGION": ("objects", "region"),
    "AWS_ACCESS_KEY_ID": ("objects", "access_key_id"),
    "AWS_SECRET_ACCESS_KEY": ("objects", "secret_access_key"),
    "AWS_SESSION_TOKEN": ("objects", "session_token"),
    "SQS_ENDPOINT_URL": ("queue", "sqs_endpoint_url"),
    "SQS_QUEUE_PREFIX": ("queue", "sqs_prefix"),
    "SQS_CREATE_QUEUES": ("queue", "sqs_create_queues"),
    "OPENAI_API_KEY": ("llm", "api_key"),
    "OPENAI_BASE_URL": ("llm", "base_url"),
}
# The worker's section has had three names; all of them fill the same one.
SECTION_ALIASES = {"event_worker": "generic_worker", "session_worker": "generic_worker"}


class SettingsError(SecretaryError):
    """Raised when a setting is unknown or has a bad value; names the key and what was expected."""

    code = "SETTINGS_ERROR"


def _split_commas(value: Any) -> Any:
    """A variable that is set to nothing is an empty list: deployments set every name they know."""
    if value is None:
        return []
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


Words = Annotated[list[str], BeforeValidator(_split_commas)]
Secrets = Annotated[list[SecretStr], BeforeValidator(_split_commas)]
Ports = Annotated[list[int], BeforeValidator(_split_commas)]
Networks = Annotated[list[IPv4Network | IPv6Network], BeforeValidator(_split_commas)]
Folders = Annotated[list[Path], BeforeValidator(_split_commas)]
Positive = Annotated[int, Field(gt=0)]
Seconds = Annotated[float, Field(gt=0)]


class Section(BaseModel):
    """Base of all sections: unknown keys are refused, so that a typo is noticed at start."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Mongodb(Section):
    """Where job metadata lives."""

    uri: SecretStr = SecretStr("mongodb://127.0.0.1:27017/?directConnection=true")
    db_name: str = "secretary"
    max_pool_size: Positive = 50
    connect_timeout_ms: Positive = 5_000


class GenericWorker(Section):
    """How many jobs run at once, in all and of each type."""

    active: bool = True
    max_concurrent: Positive = 2
    max_concurrent_per_type: dict[str, Positive] = {}
    poll_interval_sec: Seconds = 5.0


class Objects(Section):
    """The S3-compatible store of all bytes."""

    endpoint_url: str | None = None
    public_endpoint_url: str | None = None
    bucket: str = "secretary"
    region: str = "us-east-1"
    access_key_id: str | None = None
    secret_access_key: SecretStr | None = None
    session_token: SecretStr | None = None
    url_expires_seconds: Annotated[int, Field(gt=0, le=WEEK_SECONDS)] = 900


class Queue(Section):
    """Which queue carries the hints that work exists."""

    adapter: Literal["mongo", "sqs"] = "mongo"
    sqs_endpoint_url: str | None = None
    sqs_prefix: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,40}$")] = "secretary"
    sqs_create_queues: bool = False
    visibility_seconds: Positive = 60
    max_deliveries: Positive = 10


class Jobs(Section):
    """Leases, time limits and retries of every job."""

    lease_seconds: Seconds = 60.0
    heartbeat_seconds: Seconds = 15.0
    stall_seconds: Seconds = 300.0
    total_seconds: Seconds = 21_600.0
    slice_seconds: Seconds | None = None
    grace_seconds: Seconds = 10.0
    max_attempts: Positive = 3
    backoff_seconds: Seconds = 5.0
    backoff_max_seconds: Seconds = 900.0
    memory_bytes: Positive = 2 * GIBIBYTE
    recycle_after_jobs: Positive = 500
    log_lines: Positive = 200
    idempotency_hours: Positive = 24


class Http(Section):
    """What the API accepts, and where it listens."""

    bind: IPv4Address | IPv6Address = IPv4Address("127.0.0.1")
    body_limit_bytes: Positive = 10 * MEBIBYTE
    allow_origins: Words = []
    max_wait_seconds: Seconds = 25.0
    processes: Positive = 1
    threads: Positive = 1_100  # made when needed: a thousand may wait while others are answered


class LimitsSection(Section):
    """What one job may use; passing one ends it with an error that names the limit."""

    upload_bytes: Positive = 5 * GIBIBYTE
    download_bytes: Positive = 2 * GIBIBYTE
    pdf_pages: Positive = 5_000
    unpacked_bytes: Positive = 4 * GIBIBYTE
    image_pixels: Positive = 100_000_000
    inline_markdown_bytes: Positive = MEBIBYTE
    inline_archive_bytes: Positive = 4 * MEBIBYTE
    batch_jobs: Positive = 10_000


class Retention(Section):
    """Days until finished jobs and their objects are removed; null keeps them for ever."""

    completed_days: Positive | None = 90
    failed_days: Positive | None = 30
    upload_days: Positive = 7


class Access(Section):
    """How callers prove who they are."""

    mode: Literal["open", "gateway", "api_key", "jwt"] = "open"
    gateway_secret: Secrets = []  # two, separated by a comma, while one replaces the other
    jwt_issuer: str | None = None
    jwt_audience: str | None = None
    jwt_jwks_url: str | None = None  # asked of the issuer where it is missing
    jwt_user_claim: str = "sub"
    jwt_groups_claim: str = "groups"
    admin_users: Words = []
    admin_groups: Words = []
    service_groups: Words = []  # may submit work that belongs to others

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        if self.mode == "gateway" and not self.gateway_secret:
            raise ValueError("mode gateway needs gateway_secret")
        if self.mode == "jwt" and not (self.jwt_issuer and self.jwt_audience):
            raise ValueError("mode jwt needs jwt_issuer and jwt_audience")
        return self


class RateLimits(Section):
    """What one caller may ask for; null is without limit. Off in access mode open."""

    requests_per_minute: Positive | None = 1_200
    jobs_per_day: Positive | None = None


class OutboundSection(Section):
    """What the guard in front of every outgoing request lets through."""

    allow_hosts: Words = []
    allow_networks: Networks = []
    allow_ports: Ports = [80, 443, 8000, 8080, 8443]
    connect_seconds: Seconds = 10.0
    idle_seconds: Seconds = 30.0
    total_seconds: Seconds = 1_800.0
    per_host: Positive = 4


class FilesSection(Section):
    """Folders below which `file_path` may point; none means that it is refused."""

    roots: Folders = []


class Llm(Section):
    """Any OpenAI-compatible language model; without a key or base URL there is none."""

    api_key: SecretStr | None = None
    base_url: str | None = None
    model: str = "gpt-4o-mini"
    vision_model: str | None = None
    max_parallel: Positive = 4
    max_input_chars: Positive = 100_000
    max_cost_calls: Positive = 2_000

    @property
    def is_configured(self) -> bool:
        return bool(self.api_key or self.base_url)


class Speech(Section):
    """Speech recognition: a faster-whisper model folder, or an OpenAI-compatible endpoint."""

    model_dir: Path | None = None
    base_url: str | None = None
    api_key: SecretStr | None = None
    model: str = "whisper-1"


class Templates(Section):
    """Templates of your own, in folders or below a prefix of the bucket; they go before the bundled ones."""

    folders: Folders = []
    prefix: str | None = None


class Webhooks(Section):
    """Signed callbacks; their secrets are sealed with the first of these keys and opened with any."""

    secret_keys: Secrets = []  # without one, webhooks are refused
    timeout_seconds: Seconds = 15.0
    threads: Positive = 4
    keep_days: Positive = 30  # how long a delivery can be looked at and sent again

    @field_validator("secret_keys")
    @classmethod
    def _are_long(cls, keys: list[SecretStr]) -> list[SecretStr]:
        shortest = min((len(key) for key in keys), default=SEALING_KEY_LENGTH)
        if shortest < SEALING_KEY_LENGTH:
            raise ValueError(f"expected at least {SEALING_KEY_LENGTH} characters each, found {shortest}")
        return keys


class Sweep(Section):
    """The timer that finds what was lost."""

    interval_seconds: Seconds = 60.0
    resend_after_seconds: Seconds = 30.0


class Logging(Section):
    """Structured lines on standard error."""

    level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    format: Literal["json", "text"] = "json"


class Tracing(Section):
    """OpenTelemetry; off without an endpoint."""

    endpoint: str | None = None  # OTLP over HTTP, e.g. http://collector:4318/v1/traces
    service_name: str = "secretary"


class Settings(Section):
    """Everything an operator can set."""

    mongodb: Mongodb = Mongodb()
    generic_worker: GenericWorker = GenericWorker()
    objects: Objects = Objects()
    queue: Queue = Queue()
    jobs: Jobs = Jobs()
    http: Http = Http()
    limits: LimitsSection = LimitsSection()
    retention: Retention = Retention()
    access: Access = Access()
    rate_limits: RateLimits = RateLimits()
    outbound: OutboundSection = OutboundSection()
    files: FilesSection = FilesSection()
    llm: Llm = Llm()
    speech: Speech = Speech()
    templates: Templates = Templates()
    webhooks: Webhooks = Webhooks()
    sweep: Sweep = Sweep()
    logging: Logging = Logging()
    tracing: Tracing = Tracing()

    @model_validator(mode="after")
    def _open_means_local(self) -> Self:
        """In the open mode everybody who gets through is an administrator."""
        if self.access.mode == "open" and not self.http.bind.is_loopback:
            raise ValueError(
                f"http.bind: expected a loopback address in access mode open, found {self.http.bind}"
            )
        return self


def load_settings(environment: Mapping[str, str], *, config_file: Path | None = None) -> Settings:
    """Defaults, then the file, then the environment; the later one wins."""
    path = config_file or (
        Path(environment[PREFIX + "CONFIG"]) if environment.get(PREFIX + "CONFIG") else None
    )
    values = _from_file(path) if path else {}
    for section, keys in _from_environment(environment).items():
        values.setdefault(section, {}).update(keys)
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        raise SettingsError(_explain(error)) from None


def _from_file(path: Path) -> dict[str, dict[str, Any]]:
    try:
        loaded = yaml.safe_load(path.read_text("utf-8")) or {}
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read ({error.strerror})") from None
    except yaml.YAMLError as error:
        raise SettingsError(f"{path}: is not YAML{_line(error)}") from None
    if not isinstance(loaded, dict):
        raise SettingsError(f"{path}: expected sections with keys, found {type(loaded).__name__}")
    values: dict[str, dict[str, Any]] = {}
    for name, keys in loaded.items():
        section = SECTION_ALIASES.get(str(name), str(name))
        if keys is not None and not isinstance(keys, dict):
            raise SettingsError(f"{name}: expected a section with keys, found {type(keys).__name__}")
        values.setdefault(section, {}).update(keys or {})
    return values


def _from_environment(environment: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    values: dict[str, dict[str, Any]] = {}
    for name, (section, key) in USUAL_NAMES.items():
        if environment.get(name):
            values.setdefault(section, {})[key] = environment[name]
    if environment.get("SQS_QUEUE_PREFIX") or environment.get("SQS_ENDPOINT_URL"):
        values["queue"]["adapter"] = "sqs"
    for name, value in environment.items():
        if not name.startswith(PREFIX) or name.removeprefix(PREFIX) in OUTSIDE_NAMES:
            continue
        section, separator, key = name.removeprefix(PREFIX).lower().partition("__")
        if not separator:
            raise SettingsError(f"{name}: expected the form {PREFIX}<SECTION>__<KEY>")
        values.setdefault(SECTION_ALIASES.get(section, section), {})[key] = _parse(name, key, value)
    return values


def _parse(name: str, key: str, value: str) -> Any:
    """Maps and nulls are written as YAML; all else is left to the model's types."""
    if value in ("", "null"):
        return None
    if not key.endswith("_per_type"):
        return value
    try:
        return yaml.safe_load(value)
    except yaml.YAMLError:
        raise SettingsError(f"{name}: expected a map in YAML, as {{pdf: 2}}") from None


def _line(error: yaml.YAMLError) -> str:
    """Only where: the line itself may hold a secret."""
    mark = getattr(error, "problem_mark", None)
    return f" (line {mark.line + 1})" if mark else ""


def _explain(error: ValidationError) -> str:
    lines = []
    for problem in error.errors(include_url=False, include_input=False):
        name = ".".join(str(part) for part in problem["loc"])
        if problem["type"] == "extra_forbidden":
            lines.append(f"{name}: unknown setting; known here: {', '.join(_known(problem['loc']))}")
        else:
            told = str(problem["msg"]).removeprefix("Value error, ")
            lines.append(f"{name}: {told}" if name else told)
    return "\n".join(lines)


def _known(location: tuple[int | str, ...]) -> list[str]:
    if len(location) == 1:
        return list(Settings.model_fields)
    section = Settings.model_fields[str(location[0])].annotation
    return list(section.model_fields) if isinstance(section, type) and issubclass(section, Section) else []


@lru_cache(maxsize=1)
def settings() -> Settings:
    """The settings of this process."""
    return load_settings(os.environ)
