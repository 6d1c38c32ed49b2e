"""Maps the languages of a job's parameters onto the recognition data that is installed."""

from __future__ import annotations

from dataclasses import dataclass

from common.processing.base import Warning

# German first: its data reads English well, while the English data loses umlauts. Both together
# cost no more than one, since the second only steps in for words the first is unsure of.
DEFAULT = "deu+eng"

_DATA_NAMES = {
    "de": "deu",
    "en": "eng",
    "fr": "fra",
    "es": "spa",
    "it": "ita",
    "nl": "nld",
    "pt": "por",
    "pl": "pol",
}


@dataclass(frozen=True, kw_only=True)
class RecognitionLanguage:
    """The name of the recognition data, and what a user should know about the choice."""

    data_name: str
    warning: Warning | None = None


def choose(language: str | None, installed: frozenset[str]) -> RecognitionLanguage:
    if language is None or language.lower() in ("", "auto"):
        return RecognitionLanguage(data_name=DEFAULT)
    code = language.lower().split("-")[0].split("_")[0]
    data_name = _DATA_NAMES.get(code, code)
    if data_name in installed:
        return RecognitionLanguage(data_name=data_name)
    known = ", ".join(sorted(installed - {"osd"}))
    message = f"There is no recognition data for {language!r}, only for {known}; it was read as {DEFAULT}."
    return RecognitionLanguage(
        data_name=DEFAULT, warning=Warning(code="OCR_LANGUAGE_MISSING", message=message)
    )
