"""A processor's working place in a folder, with a network that reaches the servers of a test."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

from common.outbound.client import Outbound
from common.outbound.policy import OutboundPolicy
from common.processing.base import Cache, Context, LanguageModel, Transcriber
from common.processing.local import FolderCache, FolderFiles
from common.processing.storage import GuardedSources


class Steps:
    """Remembers what a processor reported; `seconds` is the time it may still believe to have."""

    def __init__(self, seconds: float = float("inf")) -> None:
        self.seen: list[tuple[str, float]] = []
        self.lines: list[str] = []
        self.seconds = seconds
        self.runs_out_after: int | None = None  # how often it is asked before its time is up

    def report(
        self,
        step: str,
        percent: float,
        message: str = "",
        *,
        done: int | None = None,
        total: int | None = None,
    ) -> None:
        self.seen.append((step, percent))

    def log(self, level: str, message: str) -> None:
        self.lines.append(message)

    def seconds_left(self) -> float:
        if self.runs_out_after is not None:
            self.runs_out_after -= 1
        return 0.0 if self.runs_out_after is not None and self.runs_out_after < 0 else self.seconds


class Desk:
    """A working place below one folder: results, caches that outlive a run, and the network of a test."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.caches: dict[str, FolderCache] = {}
        self._runs = 0
        self.files = FolderFiles(folder / "results")
        self.steps = Steps()

    def cache(self, kind: str, sha256: str, method: str) -> Cache:
        key = f"{kind}-{sha256}-{method}"
        return self.caches.setdefault(key, FolderCache(self._folder / key))

    def context(
        self,
        *,
        model: LanguageModel | None = None,
        transcriber: Transcriber | None = None,
        checkpoint: dict[str, Any] | None = None,
        seconds_left: float = float("inf"),
        template_folders: tuple[Path, ...] = (),
    ) -> Context:
        self._runs += 1
        scratch = self._folder / f"scratch-{self._runs}"
        scratch.mkdir()
        self.files = FolderFiles(self._folder / f"results-{self._runs}")
        self.steps = Steps(seconds_left)
        return Context(
            scratch=scratch,
            files=self.files,
            sources=GuardedSources(_outbound, scratch, max_bytes=100 * 1024**2, roots=()),
            progress=self.steps,
            cache=self.cache,
            checkpoint=checkpoint or {},
            model=model,
            transcriber=transcriber,
            template_folders=template_folders,
        )


@functools.cache
def _outbound() -> Outbound:
    """Loopback is allowed, as an operator may allow it, on whatever ports the servers of a test got. No name
    is resolved: a page of the fixtures may link to any site."""
    policy = OutboundPolicy(allow_networks=("127.0.0.0/8",), allow_ports=tuple(range(1024, 65536)))
    return Outbound(policy, resolver=lambda _: ())
