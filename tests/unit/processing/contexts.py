"""A processor's context over folders, with a cache that outlives a run and a progress that can be read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from common.processing.base import Context, LanguageModel, Limits
from common.processing.local import FolderCache, FolderFiles, LocalSources


@dataclass
class RecordedProgress:
    """What was reported; `seconds` says how much time is left."""

    steps: list[tuple[str, float]] = field(default_factory=list)
    seconds: Callable[[], float] = lambda: float("inf")

    def report(
        self,
        step: str,
        percent: float,
        message: str = "",
        *,
        done: int | None = None,
        total: int | None = None,
    ) -> None:
        self.steps.append((step, percent))

    def log(self, level: str, message: str) -> None:
        return

    def seconds_left(self) -> float:
        return self.seconds()


@dataclass
class Desk:
    """One service's worth of folders: runs on it share their caches, as jobs do."""

    folder: Path
    limits: Limits = field(default_factory=Limits)
    model: LanguageModel | None = None
    caches: dict[str, FolderCache] = field(default_factory=dict)
    runs: int = 0

    def context(
        self, *, progress: RecordedProgress | None = None, checkpoint: dict[str, Any] | None = None
    ) -> Context:
        self.runs += 1
        run = self.folder / f"run-{self.runs}"
        (run / "scratch").mkdir(parents=True)
        return Context(
            scratch=run / "scratch",
            files=FolderFiles(run / "files"),
            sources=LocalSources(max_bytes=self.limits.download_bytes),
            progress=progress or RecordedProgress(),
            cache=self.cache,
            checkpoint=checkpoint or {},
            limits=self.limits,
            model=self.model,
        )

    def cache(self, kind: str, sha256: str, method: str) -> FolderCache:
        name = f"{kind}/{sha256}/{method}"
        if name not in self.caches:
            self.caches[name] = FolderCache(self.folder / "cache" / name)
        return self.caches[name]

    def cached(self, method: str) -> dict[str, bytes]:
        """All files that are kept for one method."""
        found = [cache for name, cache in self.caches.items() if name.endswith(f"/{method}")]
        return {name: cache.read(name) for cache in found for name in cache.names()}
