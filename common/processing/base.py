"""The contract between a job's runner and a processor: what it is given and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict, JsonValue


class Parameters(BaseModel):
    """Base of every job type's parameters: unknown names are refused, so a typo is noticed."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    def needs_language_model(self) -> bool:
        """Whether a job with these parameters can do nothing without a model: refused on submit then."""
        return False


def exactly_one(*groups: tuple[str, ...]) -> dict[str, JsonValue]:
    """Says in a schema what a validator checks: of each group one name has a text, the others have none."""

    def only(name: str, names: tuple[str, ...]) -> JsonValue:
        kinds: dict[str, JsonValue] = {one: {"type": "string" if one == name else "null"} for one in names}
        return {"required": [name], "properties": kinds}

    return {"allOf": [{"oneOf": [only(name, names) for name in names]} for names in groups]}


@dataclass(frozen=True, kw_only=True)
class SourceFile:
    """A source that has been fetched: a local copy, its name and what its bytes are."""

    path: Path
    name: str
    size: int
    sha256: str
    media_type: str  # by magic bytes, never by extension
    url: str | None = None


@dataclass(frozen=True, kw_only=True)
class StoredFile:
    """One file of a job's results; `path` is how the API, the archive and the Markdown name it."""

    path: str
    key: str
    size: int
    sha256: str
    media_type: str


@dataclass(frozen=True, kw_only=True)
class Warning:
    """Something a user should know although the job delivers."""

    code: str
    message: str
    page: int | None = None


@dataclass(frozen=True, kw_only=True)
class Result:
    """What a processor gives back. Bytes are already in the job's files; this names them by path."""

    markdown: str = ""
    markdown_file: str | None = None
    page_texts: tuple[str, ...] = ()
    assets: tuple[str, ...] = ()
    target_dir: str | None = None
    archive_name: str | None = None  # None: no archive
    metadata: dict[str, Any] = field(default_factory=dict)
    structured_data: dict[str, Any] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)  # web_text, video_transcript, attachments_text
    warnings: tuple[Warning, ...] = ()
    llm_requests: tuple[dict[str, Any], ...] = ()
    is_from_cache: bool = False


class HandOver(Exception):
    """Raised by a processor that sees its deadline coming; the next run is given this checkpoint."""

    def __init__(self, checkpoint: dict[str, Any]) -> None:
        super().__init__("continue in a new run")
        self.checkpoint = checkpoint


class Progress(Protocol):
    """Where a processor says how far it is. Cheap to call: writes are throttled behind it."""

    def report(
        self,
        step: str,
        percent: float,
        message: str = "",
        *,
        done: int | None = None,
        total: int | None = None,
    ) -> None:
        """Also the place where a cancelled job is noticed: raises Cancelled."""
        ...

    def log(self, level: str, message: str) -> None: ...

    def seconds_left(self) -> float:
        """Until the function's own time limit; a long job hands over before it reaches zero."""
        ...


class Files(Protocol):
    """The result files of this run."""

    def write(self, path: str, data: bytes | Path, media_type: str | None = None) -> StoredFile: ...

    def adopt(self, path: str, cached: StoredFile) -> StoredFile:
        """Name a file of the cache as a result of this run, without copying its bytes."""
        ...

    def listing(self) -> tuple[StoredFile, ...]: ...

    def read(self, path: str) -> bytes: ...


class Cache(Protocol):
    """Files shared by content: `cache/<kind>/<sha256>/<method>/<name>`, never computed twice."""

    def names(self) -> dict[str, StoredFile]:
        """All that is there, by name: one listing instead of a look-up per page."""
        ...

    def read(self, name: str) -> bytes: ...

    def write(self, name: str, data: bytes | Path, media_type: str | None = None) -> StoredFile: ...

    def write_new(self, name: str, data: bytes, media_type: str) -> StoredFile | None:
        """None where it is there already: of two jobs that compute the same, the first is kept."""
        ...

    def copy(self, name: str, target: Path) -> None:
        """Stream a cached file to disk."""
        ...


@dataclass(frozen=True, kw_only=True)
class FoundRecording:
    """What the page of a video site shows; `url` is None where it has no file that could be fetched."""

    url: str | None
    captions: tuple[str, ...] = ()  # addresses, the best first
    title: str = ""


class Sources(Protocol):
    """Opens what a job's parameters point at, through the guards and within the limits."""

    def look_up(self, url: str, *, language: str | None) -> FoundRecording:
        """Where the recording is that a page shows."""
        ...

    def fetch(
        self, *, url: str | None = None, upload_id: str | None = None, file_path: str | None = None
    ) -> SourceFile: ...


class LanguageModel(Protocol):
    """A language model behind an OpenAI-compatible endpoint; `usage` collects what it cost."""

    name: str

    @property
    def vision_name(self) -> str:
        """The model that looks at pictures; it may be another one."""
        ...

    def complete(self, *, system: str, user: str) -> str: ...

    def structured(self, *, system: str, user: str, schema: dict[str, Any]) -> dict[str, Any]:
        """One call whose answer follows the JSON schema."""
        ...

    def describe(self, *, system: str, user: str, image: bytes, media_type: str) -> str: ...

    def usage(self) -> tuple[dict[str, Any], ...]: ...


class Transcriber(Protocol):
    """Speech to text: (start second, end second, text) segments."""

    def transcribe(self, audio: Path, *, language: str | None) -> Iterator[tuple[float, float, str]]: ...


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What one job may use; each has its own error when passed."""

    pages: int = 5_000
    download_bytes: int = 2 * 1024**3
    unpacked_bytes: int = 4 * 1024**3
    image_pixels: int = 100_000_000
    inline_markdown_bytes: int = 1024**2
    model_calls: int = 2_000
    model_parallel: int = 4  # calls at one time


@dataclass(frozen=True, kw_only=True)
class Context:
    """All that a processor may use besides its parameters."""

    scratch: Path  # local disk, gone after the run
    files: Files
    sources: Sources
    progress: Progress
    cache: Callable[[str, str, str], Cache]  # kind, sha256, method
    checkpoint: dict[str, Any] = field(default_factory=dict)
    limits: Limits = Limits()
    model: LanguageModel | None = None
    transcriber: Transcriber | None = None
    template_folders: tuple[Path, ...] = ()


Handler = Callable[[Any, Context], Result]
