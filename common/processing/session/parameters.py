"""What a `session` job takes."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from common.processing.base import Parameters
from common.processing.languages import Language, OptionalLanguage
from common.processing.session.people import split_names
from common.processing.source import Url

DEFAULT_TRACK = "General"


def _blank_is_none(value: Any) -> Any:
    return None if isinstance(value, str) and not value.strip() else value


def _track(value: Any) -> Any:
    return _blank_is_none(value) or DEFAULT_TRACK if value is None or isinstance(value, str) else value


def _many(value: Any) -> Any:
    """One or many: old clients send a text, a list, an empty text or nothing."""
    if value is None or value == "":
        return ()
    if isinstance(value, str):
        return (value,)
    return tuple(value) if isinstance(value, list) else value


def _people(value: Any) -> Any:
    return tuple(split_names(value)) if isinstance(value, str) else _many(value)


Text = Annotated[str, Field(min_length=1, max_length=500, pattern=r"\S")]
Word = Annotated[Annotated[str, Field(max_length=100)] | None, BeforeValidator(_blank_is_none)]
# What old clients may send in the place of these; the specification tells it.
MaybeText = Annotated[str, Field(max_length=500)] | None
MaybeUrl = Annotated[str, Field(max_length=4096, pattern=r"^(https?://[\s\S]+)?$")] | None
Person = Annotated[str, Field(max_length=200)]
OneOrMany = MaybeUrl | Annotated[list[Url], Field(max_length=50)]
Urls = Annotated[
    tuple[Url, ...], BeforeValidator(_many, json_schema_input_type=OneOrMany), Field(max_length=50)
]
People = Annotated[
    tuple[Person, ...],
    BeforeValidator(
        _people, json_schema_input_type=Person | Annotated[list[Person], Field(max_length=50)] | None
    ),
    Field(max_length=50),
]


class SessionParameters(Parameters):
    """One talk: where its page is, what is known about it, and what is wanted."""

    event: Text
    session: Text
    url: Url
    filename: Annotated[Text | None, BeforeValidator(_blank_is_none, json_schema_input_type=MaybeText)] = (
        None  # None: after the session
    )
    track: Annotated[Text, BeforeValidator(_track, json_schema_input_type=MaybeText)] = DEFAULT_TRACK
    day: Word = None
    starttime: Word = None
    endtime: Word = None
    speakers: People = ()
    speakers_url: Urls = ()
    video_url: Annotated[Url | None, BeforeValidator(_blank_is_none, json_schema_input_type=MaybeUrl)] = None
    video_transcript: Annotated[
        Annotated[str, Field(max_length=5_000_000)] | None, BeforeValidator(_blank_is_none)
    ] = None
    attachments_url: Urls = ()
    source_language: OptionalLanguage = None  # None: the page's
    target_language: Language = "de"
    template: Annotated[str, Field(min_length=1, max_length=80)] = "Session"
    template_content: Annotated[str, Field(max_length=200_000)] | None = None
    create_archive: bool = True
    use_cache: bool = True
