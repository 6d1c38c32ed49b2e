"""`secretary convert`: a processor in this process, with no service at all."""

from __future__ import annotations

import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from common.client.kind import job_type_for
from common.errors import SecretaryError
from common.jobs.execution import processing_limits
from common.jobs.requests import parse_body
from common.names import safe_name, unique_names
from common.processing.base import Context, Result
from common.processing.language_model import configured_model
from common.processing.local import FolderCache, FolderFiles, LocalSources
from common.processing.registry import job_type
from common.settings import Settings


@dataclass(frozen=True, kw_only=True)
class Converted:
    """What became of one input."""

    input: str
    output: str | None
    error: dict[str, Any] | None
    pages: int
    seconds: float
    warnings: tuple[str, ...] = ()  # for people; the JSON line has no place for them

    def as_line(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if name != "warnings"}


class SilentProgress:
    """Nobody watches a conversion on the command line."""

    def report(
        self,
        step: str,
        percent: float,
        message: str = "",
        *,
        done: int | None = None,
        total: int | None = None,
    ) -> None:
        return

    def log(self, level: str, message: str) -> None:
        return

    def seconds_left(self) -> float:
        return float("inf")


def output_names(inputs: list[Path]) -> list[str]:
    """`<name>.md` for each input, different from each other even on file systems that ignore case."""
    return unique_names([safe_name(path.stem, fallback="document") for path in inputs])


def convert(path: Path, name: str, out: Path, parameters: dict[str, Any], settings: Settings) -> Converted:
    """Never raises for a bad input: what is wrong with it is part of the answer."""
    began = time.monotonic()
    try:
        result = _run(path, name, out, parameters, settings)
    except SecretaryError as error:
        problem = {"code": error.code, "message": error.message}
        return Converted(input=str(path), output=None, error=problem, pages=0, seconds=_since(began))
    target = out / f"{name}.md"
    target.write_text(result.markdown, "utf-8")
    return Converted(
        input=str(path),
        output=str(target),
        error=None,
        pages=len(result.page_texts),
        seconds=_since(began),
        warnings=tuple(warning.message for warning in result.warnings),
    )


def _run(path: Path, name: str, out: Path, parameters: dict[str, Any], settings: Settings) -> Result:
    kind = job_type(_type_name(path, parameters))
    model = kind.model()
    known = {key: value for key, value in parameters.items() if key in model.model_fields}
    wanted = parse_body(model, known | {"file_path": str(path)})
    with tempfile.TemporaryDirectory(prefix="secretary-") as scratch, configured_model(settings) as language:
        folder = Path(scratch)
        keep = parameters.get("include_images", False)
        context = Context(
            scratch=folder,
            files=FolderFiles(out / name if keep else folder / "files"),
            sources=LocalSources(max_bytes=settings.limits.download_bytes),
            progress=SilentProgress(),
            cache=lambda *place: FolderCache(folder.joinpath("cache", *place)),
            limits=processing_limits(settings),
            model=language,
            template_folders=tuple(settings.templates.folders),
        )
        return kind.load_handler()(wanted, context)


def _type_name(path: Path, parameters: dict[str, Any]) -> str:
    """An office document that is to be seen, not read, becomes a PDF first."""
    name = job_type_for(path)
    return "pdf" if name == "office" and parameters.get("extraction_method") else name


def _since(began: float) -> float:
    return round(time.monotonic() - began, 3)
