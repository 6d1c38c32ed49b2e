"""Languages: what a page or schedule calls them, and which one a text is written in."""

from __future__ import annotations

import re
from collections import Counter
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

SAMPLE_CHARACTERS = 20_000
MIN_HITS = 3

_NAMES = {
    "english": "en", "englisch": "en", "anglais": "en",
    "german": "de", "deutsch": "de", "allemand": "de",
    "french": "fr", "französisch": "fr", "français": "fr",
    "spanish": "es", "spanisch": "es", "español": "es",
    "italian": "it", "italienisch": "it", "italiano": "it",
}  # fmt: skip
# As a model is told to write in them.
_ENGLISH_NAMES = {
    "de": "German", "en": "English", "fr": "French", "es": "Spanish", "it": "Italian", "pt": "Portuguese",
    "nl": "Dutch", "pl": "Polish", "cs": "Czech", "sv": "Swedish", "da": "Danish", "fi": "Finnish",
    "nb": "Norwegian", "uk": "Ukrainian", "ru": "Russian", "tr": "Turkish", "el": "Greek", "ro": "Romanian",
    "hu": "Hungarian", "ja": "Japanese", "zh": "Chinese", "ko": "Korean", "ar": "Arabic", "he": "Hebrew",
}  # fmt: skip
_COMMON_WORDS = {
    "en": "the and of to is in that for with are this on be as it by from not an",
    "de": "der die das und ist nicht mit ein eine auf für den von zu dem sich auch wie im",
    "fr": "le la les et des est une dans pour que sur avec pas qui au du sont cette",
    "es": "el los las y del que es una para con por se como más este son sobre",
    "it": "il lo gli e di che è una per con non sono della nel come questo alla",
}
_WORDS = {word: code for code, words in _COMMON_WORDS.items() for word in words.split()}


def language_code(text: str) -> str:
    """`de-DE`, `de_AT`, `Deutsch` or `de` → `de`; empty for what is none of these."""
    value = text.strip().lower()
    if value in _NAMES:
        return _NAMES[value]
    match = re.fullmatch(r"([a-z]{2})([-_][a-z0-9-]+)?", value)
    return match.group(1) if match else ""


def language_name(code: str) -> str:
    return _ENGLISH_NAMES.get(code.lower()[:2], f"the language with the code {code}")


def detect_language(text: str) -> str:
    """The language whose small words are most frequent; empty where too few were seen to tell."""
    words = re.findall(r"[a-zà-ÿß]+", text[:SAMPLE_CHARACTERS].lower())
    hits = Counter(_WORDS[word] for word in words if word in _WORDS)
    if not hits:
        return ""
    (best, count), *others = hits.most_common(2)
    runner_up = others[0][1] if others else 0
    return best if count >= MIN_HITS and count > runner_up else ""


def _blank_is_none(value: Any) -> Any:
    return None if isinstance(value, str) and not value.strip() else value


def _coded(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    code = language_code(value)
    if not code:
        raise ValueError("expected a language such as de, en or fr")
    return code


# As parameters of a job.
_Spoken = Annotated[str, Field(pattern=r"^[A-Za-z]{2}([-_][A-Za-z0-9-]+)?$", max_length=35)]
_MaybeSpoken = Annotated[str, Field(pattern=r"^([A-Za-z]{2}([-_][A-Za-z0-9-]+)?|\s*)$", max_length=35)]
Language = Annotated[str, BeforeValidator(_coded, json_schema_input_type=_Spoken)]
OptionalLanguage = Annotated[
    Language | None, BeforeValidator(_blank_is_none, json_schema_input_type=_MaybeSpoken | None)
]
