"""Languages by their English names, as a model is told to write in them."""

from __future__ import annotations

_NAMES = {
    "de": "German", "en": "English", "fr": "French", "es": "Spanish", "it": "Italian", "pt": "Portuguese",
    "nl": "Dutch", "pl": "Polish", "cs": "Czech", "sv": "Swedish", "da": "Danish", "fi": "Finnish",
    "nb": "Norwegian", "uk": "Ukrainian", "ru": "Russian", "tr": "Turkish", "el": "Greek", "ro": "Romanian",
    "hu": "Hungarian", "ja": "Japanese", "zh": "Chinese", "ko": "Korean", "ar": "Arabic", "he": "Hebrew",
}  # fmt: skip


def language_name(code: str) -> str:
    return _NAMES.get(code.lower()[:2], f"the language with the code {code}")
