"""What a user is told about a transformation, in English and German."""

from __future__ import annotations

_MESSAGES = {
    "no_model": {
        "en": "No language model is configured: these fields of the template were not written: {fields}.",
        "de": "Kein Sprachmodell ist eingerichtet: Diese Felder der Vorlage blieben ohne Text: {fields}.",
    },
}


def message(name: str, language: str, **values: object) -> str:
    texts = _MESSAGES[name]
    return texts.get(language.lower()[:2], texts["en"]).format(**values)
