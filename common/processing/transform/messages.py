"""What a user is told about a transformation, in English and German."""

from __future__ import annotations

_MESSAGES = {
    "model_needed": {
        "en": "{method} needs a language model, and none is configured. Set OPENAI_API_KEY, or"
        " OPENAI_BASE_URL for any OpenAI-compatible server (in the configuration file llm.api_key,"
        " llm.base_url, llm.vision_model).",
        "de": "{method} braucht ein Sprachmodell, und keines ist eingerichtet. OPENAI_API_KEY setzen, oder"
        " OPENAI_BASE_URL für einen OpenAI-kompatiblen Server (in der Konfigurationsdatei llm.api_key,"
        " llm.base_url, llm.vision_model).",
    },
    "no_model": {
        "en": "No language model is configured: these fields of the template were not written: {fields}.",
        "de": "Kein Sprachmodell ist eingerichtet: Diese Felder der Vorlage blieben ohne Text: {fields}.",
    },
}


def message(name: str, language: str, **values: object) -> str:
    texts = _MESSAGES[name]
    return texts.get(language.lower()[:2], texts["en"]).format(**values)
