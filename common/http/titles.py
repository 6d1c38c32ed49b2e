"""What each error is called, in the languages users read; the one table of them."""

from __future__ import annotations

DEFAULT_LANGUAGE = "en"

TITLES: dict[str, dict[str, str]] = {
    "ARCHIVE_NOT_FOUND": {"en": "No archive", "de": "Kein Archiv vorhanden"},
    "BAD_REQUEST": {"en": "Request not understood", "de": "Anfrage nicht verstanden"},
    "CANCELLED": {"en": "Cancelled", "de": "Abgebrochen"},
    "CONFLICT": {"en": "Not possible in this state", "de": "In diesem Zustand nicht möglich"},
    "DOWNLOAD_FAILED": {"en": "Download failed", "de": "Herunterladen fehlgeschlagen"},
    "DOWNLOAD_TOO_LARGE": {"en": "Source too large", "de": "Quelle zu groß"},
    "ENCRYPTED_FILE": {"en": "File needs a password", "de": "Datei braucht ein Passwort"},
    "FORBIDDEN": {"en": "Not allowed", "de": "Nicht erlaubt"},
    "INTERNAL_ERROR": {"en": "Fault in the service", "de": "Fehler im Dienst"},
    "LLM_FAILED": {"en": "Language model failed", "de": "Sprachmodell fehlgeschlagen"},
    "LLM_NOT_CONFIGURED": {"en": "No language model set up", "de": "Kein Sprachmodell eingerichtet"},
    "METHOD_NOT_ALLOWED": {"en": "Method not offered", "de": "Methode nicht angeboten"},
    "NOT_FOUND": {"en": "Not found", "de": "Nicht gefunden"},
    "PAYLOAD_TOO_LARGE": {"en": "Request too large", "de": "Anfrage zu groß"},
    "PROCESSING_FAILED": {"en": "Processing failed", "de": "Verarbeitung fehlgeschlagen"},
    "PROCESSING_STALLED": {"en": "No progress", "de": "Kein Fortschritt"},
    "PROCESSING_TIMEOUT": {"en": "Out of time", "de": "Zeit überschritten"},
    "PROCESSOR_CRASHED": {"en": "Processing crashed", "de": "Verarbeitung abgestürzt"},
    "RATE_LIMITED": {"en": "Too many requests", "de": "Zu viele Anfragen"},
    "SECRET_UNREADABLE": {"en": "Secret cannot be opened", "de": "Geheimnis nicht lesbar"},
    "SERVICE_UNAVAILABLE": {"en": "Not available now", "de": "Zurzeit nicht verfügbar"},
    "SETTINGS_ERROR": {"en": "Wrong setting", "de": "Falsche Einstellung"},
    "STACK_ERROR": {"en": "Cannot start", "de": "Start nicht möglich"},
    "TEMPLATE_ERROR": {"en": "Template not usable", "de": "Vorlage nicht verwendbar"},
    "TRANSCRIPTION_FAILED": {"en": "Transcription failed", "de": "Transkription fehlgeschlagen"},
    "UNAUTHORIZED": {"en": "Who are you?", "de": "Anmeldung erforderlich"},
    "UNKNOWN_JOB_TYPE": {"en": "Unknown job type", "de": "Unbekannter Auftragstyp"},
    "UNSUPPORTED_FILE": {"en": "File not supported", "de": "Datei nicht unterstützt"},
    "URL_NOT_ALLOWED": {"en": "URL not allowed", "de": "URL nicht erlaubt"},
    "VALIDATION_FAILED": {"en": "Check your input", "de": "Eingabe prüfen"},
    "WEBHOOKS_NOT_CONFIGURED": {"en": "Webhooks are not set up", "de": "Webhooks sind nicht eingerichtet"},
}
LANGUAGES = ("en", "de")


def title(code: str, language: str) -> str:
    known = TITLES.get(code, TITLES["INTERNAL_ERROR"])
    return known.get(language, known[DEFAULT_LANGUAGE])


def preferred_language(accept_language: str) -> str:
    """The language we have that the caller likes best, by the weights of Accept-Language."""
    best, best_weight = DEFAULT_LANGUAGE, 0.0
    for part in accept_language.split(",")[:20]:
        name, _, parameter = part.partition(";")
        language = name.strip().lower().split("-")[0]
        weight = _weight(parameter)
        if language in LANGUAGES and weight > best_weight:
            best, best_weight = language, weight
    return best


def _weight(parameter: str) -> float:
    name, _, value = parameter.strip().partition("=")
    if name != "q":
        return 1.0
    try:
        return float(value)
    except ValueError:
        return 0.0
