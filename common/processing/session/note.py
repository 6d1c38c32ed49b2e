"""The note on a session: what is known about the talk, put into a template and written as Markdown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from common.processing.session.attachments import Attachments
from common.processing.session.moment import Moment
from common.processing.session.page import EventPage
from common.processing.session.parameters import SessionParameters
from common.processing.session.recording import Recording
from common.processing.session.url import absolute_url
from common.processing.transform.slides import slides_block, video_player

DEMOTED_LEVELS = 2  # the page's headings stand below the note's own

_HEADING = re.compile(r"^(#{1,6})\s+(.*)$")
_FENCE = re.compile(r"^\s*(```|~~~)")
_ISO_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True, kw_only=True)
class Talk:
    """Everything that was gathered about one session."""

    parameters: SessionParameters
    page: EventPage
    attachments: Attachments
    recording: Recording

    @property
    def speakers(self) -> list[str]:
        return list(self.parameters.speakers or self.page.speakers)

    @property
    def source_language(self) -> str:
        return self.parameters.source_language or self.page.language or "en"

    @property
    def moment(self) -> Moment:
        """What the job was told goes before what its page says; `day` may be the name of a weekday."""
        told = self.parameters
        day = told.day if told.day and _ISO_DAY.fullmatch(told.day) else ""
        return Moment(day=day, start=told.starttime or "", end=told.endtime or "").or_else(self.page.moment)

    @property
    def sources(self) -> list[str]:
        urls = [self.page.url, *self.attachments.urls, self.recording.video_url]
        return list(dict.fromkeys(url for url in urls if url))


def context_values(talk: Talk) -> dict[str, Any]:
    """The values a template may name; those that are not known are left out."""
    told, moment = talk.parameters, talk.moment
    minutes = _minutes(moment)
    known = {
        "title": told.session,
        "session": told.session,
        "event": told.event,
        "track": told.track,
        "speakers": talk.speakers,
        "date": moment.day,
        "day": told.day or moment.day,
        "starttime": moment.start,
        "endtime": moment.end,
        "duration": minutes,
        "url": _linkable(talk.page.url),
        "filename": told.filename or "",
        "web_text": body_text(talk.page.markdown, title=talk.page.title),
        "video_transcript": without_wiki_links(talk.recording.transcript),
        "attachments_text": talk.attachments.text,
        "video_url": _linkable(talk.recording.video_url),
        "attachments_url": [_linkable(url) for url in talk.attachments.urls],
    }
    return {name: value for name, value in known.items() if value}


def material(talk: Talk) -> str:
    """What the model reads: page, slides and recording, each under its name."""
    parts = {
        "Web page": talk.page.markdown,
        "Slides": talk.attachments.text,
        "Transcript of the recording": talk.recording.transcript,
    }
    return "\n\n".join(f"## {name}\n{text}" for name, text in parts.items() if text)


def blocks(talk: Talk) -> dict[str, str]:
    player = talk.page.players[0].url if talk.page.players and not talk.parameters.video_url else None
    return {
        "slides": slides_block(talk.attachments.slides),
        "videoplayer": video_player(player=player, video=talk.recording.video_url),
    }


def structured_data(talk: Talk, answers: Mapping[str, Any]) -> dict[str, Any]:
    """Always the same names, whatever the template asks: clients read them without looking first."""
    moment = talk.moment
    topics = [str(topic) for topic in answers.get("topics") or ()]
    certain: dict[str, Any] = {
        "title": answers.get("title") or talk.parameters.session,
        "event": talk.parameters.event,
        "track": talk.parameters.track,
        "speakers": talk.speakers,
        "topic": answers.get("topic") or (topics[0] if topics else talk.parameters.track),
        "topics": topics,
        "relevance": answers.get("relevance"),
        "duration": _minutes(moment),
        "date": moment.day,
        "starttime": moment.start,
        "endtime": moment.end,
        "language": talk.parameters.target_language,
        "source_language": talk.source_language,
        "slides": len(talk.attachments.slides),
    }
    return {**answers, **certain}


def body_text(markdown: str, *, title: str) -> str:
    """A page's Markdown as part of a note: its title is the note's already, its headings are demoted."""
    lines, fenced = [], False
    for line in without_wiki_links(markdown).split("\n"):
        fenced ^= bool(_FENCE.match(line))
        heading = None if fenced else _HEADING.match(line)
        if heading and heading[2].strip() == title:
            continue
        lines.append(f"{'#' * min(len(heading[1]) + DEMOTED_LEVELS, 6)} {heading[2]}" if heading else line)
    return "\n".join(lines).strip("\n")


def without_wiki_links(markdown: str) -> str:
    """Two brackets in somebody's text would become a link that leads nowhere."""
    lines, fenced = [], False
    for line in markdown.split("\n"):
        fenced ^= bool(_FENCE.match(line))
        lines.append(line if fenced else line.replace("[[", "\\[\\["))
    return "\n".join(lines)


def _linkable(url: str) -> str:
    return (absolute_url(url, url, keep_fragment=True) or url).replace("(", "%28").replace(")", "%29")


def _minutes(moment: Moment) -> int | None:
    try:
        return moment.minutes
    except ValueError:  # the job was told a time in words
        return None
