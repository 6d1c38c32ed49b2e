"""`secretary convert`: a processor in this process, with no service at all."""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common.errors import SecretaryError
from common.jobs.execution import processing_limits
from common.names import safe_name, unique_names
from common.processing.base import Context, Result
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
        result, pages = _run(path, name, out, parameters, settings)
    except SecretaryError as error:
        problem = {"code": error.code, "message": error.message}
        return Converted(input=str(path), output=None, error=problem, pages=0, seconds=_since(began))
    target = out / f"{name}.md"
    target.write_text(result.markdown, "utf-8")
    return Converted(input=str(path), output=str(target), error=None, pages=pages, seconds=_since(began))


def _run(
    path: Path, name: str, out: Path, parameters: dict[str, Any], settings: Settings
) -> tuple[Result, int]:
    kind = job_type("pdf")
    with tempfile.TemporaryDirectory(prefix="secretary-") as scratch:
        folder = Path(scratch)
        keep = parameters.get("include_images", False)
        context = Context(
            scratch=folder,
            files=FolderFiles(out / name if keep else folder / "files"),
            sources=LocalSources(max_bytes=settings.limits.download_bytes),
            progress=SilentProgress(),
            cache=lambda *_: FolderCache(folder / "cache"),
            limits=processing_limits(settings),
        )
        model = kind.model().model_validate(parameters | {"file_path": str(path)})
        result = kind.load_handler()(model, context)
    return result, len(result.page_texts)


def _since(began: float) -> float:
    return round(time.monotonic() - began, 3)
