"""Where the files of a session stand, in its results and in every archive."""

from __future__ import annotations

from dataclasses import dataclass

from common.archive.links import SESSIONS_FOLDER
from common.names import safe_name
from common.processing.session.parameters import SessionParameters


@dataclass(frozen=True, kw_only=True)
class SessionPaths:
    """Assets stand under the event, once for all languages; a note under its language and track."""

    event: str
    session: str
    language: str
    track: str

    @property
    def target_dir(self) -> str:
        return f"{SESSIONS_FOLDER}/{self.event}/{self.language}/{self.track}"

    @property
    def markdown(self) -> str:
        return f"{self.target_dir}/{self.session}.md"

    @property
    def archive(self) -> str:
        return f"{self.session}.zip"

    def slide(self, number: int) -> str:
        return f"{SESSIONS_FOLDER}/{self.event}/assets/{self.session}/slide_{number:02}.png"


def session_paths(parameters: SessionParameters) -> SessionPaths:
    name = parameters.filename or parameters.session
    stem = name[:-3] if name.lower().endswith(".md") else name
    return SessionPaths(
        event=safe_name(parameters.event, fallback="Event"),
        session=safe_name(stem, fallback="session"),
        language=parameters.target_language.upper(),
        track=safe_name(parameters.track, fallback="Track"),
    )
