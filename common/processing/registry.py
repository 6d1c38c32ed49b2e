"""job_type → parameters and handler. Other packages add theirs through the entry point group
`secretary.job_types`; each entry point names a JobType."""

from __future__ import annotations

import pkgutil
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import entry_points

from common.errors import UnknownJobType
from common.processing.base import Handler, Parameters

GROUP = "secretary.job_types"
OLD_NAMES = {"session_processing": "session"}


@dataclass(frozen=True, kw_only=True)
class JobType:
    """Named by import paths, so that an API function loads a model and never a processor."""

    name: str
    summary: str
    parameters: str  # "package.module:Model"
    handler: str  # "package.module:function"

    def model(self) -> type[Parameters]:
        found: type[Parameters] = pkgutil.resolve_name(self.parameters)
        return found

    def load_handler(self) -> Handler:
        found: Handler = pkgutil.resolve_name(self.handler)
        return found


BUILT_IN = (
    JobType(
        name="pdf",
        summary="A PDF (or an Office file, converted first) to Markdown, page texts and pictures.",
        parameters="common.processing.pdf.parameters:PdfParameters",
        handler="common.processing.pdf.handler:handle",
    ),
    JobType(
        name="imageocr",
        summary="A photo, a scan or a TIFF of many pages to text and Markdown.",
        parameters="common.processing.image.parameters:ImageParameters",
        handler="common.processing.image.handler:handle",
    ),
    JobType(
        name="office",
        summary="A text document, presentation or workbook to Markdown, read directly.",
        parameters="common.processing.office.parameters:OfficeParameters",
        handler="common.processing.office.handler:handle",
    ),
    JobType(
        name="session",
        summary="A talk's page, slides and recording to one note with pictures, ready for a vault.",
        parameters="common.processing.session.parameters:SessionParameters",
        handler="common.processing.session.handler:handle",
    ),
    JobType(
        name="audio",
        summary="A sound recording to timed text, by captions or speech recognition.",
        parameters="common.processing.media.parameters:MediaParameters",
        handler="common.processing.media.handler:handle",
    ),
    JobType(
        name="video",
        summary="A video to timed text, by captions or speech recognition.",
        parameters="common.processing.media.parameters:MediaParameters",
        handler="common.processing.media.handler:handle",
    ),
    JobType(
        name="transformer",
        summary="A text, page or document written anew by a template, with structured data.",
        parameters="common.processing.transform.parameters:TransformerParameters",
        handler="common.processing.transform.handler:handle",
    ),
)


@lru_cache(maxsize=1)
def job_types() -> dict[str, JobType]:
    """All known types by name; a type of ours cannot be replaced from outside."""
    found = {item.name: item for item in (entry.load() for entry in entry_points(group=GROUP))}
    return found | {item.name: item for item in BUILT_IN}


def job_type(name: str) -> JobType:
    known = job_types()
    found = known.get(OLD_NAMES.get(name, name))
    if found is None:
        types = ", ".join(sorted(known))
        raise UnknownJobType(
            f"Unknown job type {name[:80]!r}. Known types: {types}.", details={"known": sorted(known)}
        )
    return found
