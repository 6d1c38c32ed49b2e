"""What the command line says, in English and German, by the user's locale."""

from __future__ import annotations

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
    "port_in_use": (
        "Port {port} is in use; choose another one with --port.",
        "Port {port} ist belegt; --port wählt einen anderen.",
    ),
    "already_runs": ("Secretary already runs in {home}{where}.", "Secretary läuft bereits in {home}{where}."),
    "already_where": (" at {url} (process {pid})", " unter {url} (Prozess {pid})"),
    "stopped_early": ("Stopped before it was ready.", "Angehalten, bevor es bereit war."),
    "did_not_start": ("{what} did not start; see {logs}.", "{what} startet nicht; siehe {logs}."),
    "did_not_stop": (
        "Process {pid} did not stop within {seconds:g} seconds.",
        "Prozess {pid} hat nach {seconds:g} Sekunden nicht angehalten.",
    ),
    "no_program": (
        "{program} is missing: pip install 'secretary[local]', or set {variable}.",
        "{program} fehlt: pip install 'secretary[local]', oder {variable} setzen.",
    ),
    "key_revoked": ("Key {key_id} is revoked.", "Der Schlüssel {key_id} ist gesperrt."),
    "no_database": (
        "Expected a running service in {home} or MONGODB_URI, found neither.",
        "Erwartet wurde ein laufender Dienst in {home} oder MONGODB_URI, gefunden keines von beiden.",
    ),
    "error": ("Failed: {message}", "Fehlgeschlagen: {message}"),
    "unreachable": (
        "Nobody answers at {url}. Start the service with `secretary up`, or name another one with --url.",
        "Unter {url} antwortet niemand. `secretary up` startet den Dienst, --url nennt einen anderen.",
    ),
    "not_in_time": (
        "Not finished after {seconds:g} seconds; it goes on in the background.",
        "Nach {seconds:g} Sekunden nicht fertig; es geht im Hintergrund weiter.",
    ),
    "no_file": ("There is no file {path}.", "Es gibt keine Datei {path}."),
    "found": ("ok", "da"),
    "missing": ("missing", "fehlt"),
    "optional": ("optional", "möglich"),
    "pages": ("page {done} of {total}", "Seite {done} von {total}"),
    "left": ("{time} left", "noch {time}"),
    "nothing": ("Nothing found.", "Nichts gefunden."),
    "expected_pair": ("expected name=value, found {text}", "erwartet wurde name=wert, gefunden {text}"),
    "not_json": ("{file} is not JSON: {error}", "{file} ist kein JSON: {error}"),
    "not_jobs": (
        '{file}: expected a list of jobs, or {{"jobs": [...]}}',
        '{file}: erwartet wurde eine Liste von Aufträgen oder {{"jobs": [...]}}',
    ),
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
    "migrated": ("Brought up to date", "Auf den neuen Stand gebracht"),
    "imported": ("Taken over", "Übernommen"),
    "key_id": ("key", "Schlüssel"),
    "user_id": ("user", "Benutzer"),
    "created_at": ("created", "erstellt"),
    "revoked_at": ("revoked", "gesperrt"),
    "median": ("median time", "mittlere Dauer"),
    "success_rate": (
        "{percent} % of what ended in the last 24 hours succeeded.",
        "{percent} % von dem, was in 24 Stunden endete, gelang.",
    ),
    "queue": ("{depth} waiting, the oldest for {age}.", "{depth} warten, am längsten seit {age}."),
}


def language() -> str:
    """By the locale's names, because the locale itself is often not installed where we run."""
    names = ("SECRETARY_LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")
    wanted = next((value for name in names if (value := os.environ.get(name))), "")
    return "de" if wanted.lower().startswith("de") else "en"


def say(name: str, **values: object) -> str:
    english, german = WORDS[name]
    return (german if language() == "de" else english).format(**values)
