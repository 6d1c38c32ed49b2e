"""What the command line says, in English and German, by the user's locale."""

from __future__ import annotations

import locale
import os

WORDS: dict[str, tuple[str, str]] = {
    "stopped": ("stopped", "gestoppt"),
    "not_running": ("Nothing runs in {home}.", "In {home} läuft nichts."),
    "input_failed": ("{input}: {code}: {message}", "{input}: {code}: {message}"),
    "input_done": ("{input} → {output} ({pages} pages)", "{input} → {output} ({pages} Seiten)"),
    "dashboard": ("dashboard {url}/monitoring/events", "Übersicht {url}/monitoring/events"),
    "demo_starts": (
        "Starting MongoDB, SeaweedFS, the gateway and two workers in {home} …",
        "MongoDB, SeaweedFS, das Gateway und zwei Arbeiter starten in {home} …",
    ),
    "demo_result": ("Unpacked: {folder}", "Entpackt: {folder}"),
    "demo_ends": (
        "Everything was stopped again. Logs: {home}/logs. Leave it running with `make up`.",
        "Alles wurde wieder angehalten. Protokolle: {home}/logs. Dauerhaft starten: `make up`.",
    ),
    "key_revoked": ("Key {key_id} is revoked.", "Der Schlüssel {key_id} ist gesperrt."),
    "no_database": (
        "Expected a running service in {home} or MONGODB_URI, found neither.",
        "Erwartet wurde ein laufender Dienst in {home} oder MONGODB_URI, gefunden keines von beiden.",
    ),
    "error": ("Failed: {message}", "Fehlgeschlagen: {message}"),
    "nothing": ("Nothing found.", "Nichts gefunden."),
    "expected_pair": ("expected name=value, found {text}", "erwartet wurde name=wert, gefunden {text}"),
    "not_json": ("{file} is not JSON: {error}", "{file} ist kein JSON: {error}"),
    "pending": ("waiting", "wartet"),
    "processing": ("running", "läuft"),
    "completed": ("completed", "fertig"),
    "failed": ("failed", "gescheitert"),
    "cancelled": ("cancelled", "abgebrochen"),
    "partial": ("partly failed", "teils gescheitert"),
    "job": ("job", "Auftrag"),
    "status": ("status", "Stand"),
    "type": ("type", "Art"),
    "name": ("name", "Name"),
    "created": ("created", "erstellt"),
    "track": ("track", "Reihe"),
    "day": ("day", "Tag"),
    "language": ("language", "Sprache"),
}


def language() -> str:
    wanted = os.environ.get("SECRETARY_LANGUAGE") or locale.getlocale()[0] or ""
    return "de" if wanted.lower().startswith("de") else "en"


def say(name: str, **values: object) -> str:
    english, german = WORDS[name]
    return (german if language() == "de" else english).format(**values)
