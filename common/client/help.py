"""The help of the command in German, where that is the user's language. The English is beside the code."""

from __future__ import annotations

from typing import Any

import typer.rich_utils

from common.client.words import language

PANELS = {"OPTIONS": "Optionen", "ARGUMENTS": "Angaben", "COMMANDS": "Befehle"}
GERMAN = {
    # commands
    "Documents and conference sessions in; Markdown, pictures and an Obsidian vault out.": (
        "Dokumente und Vorträge hinein; Markdown, Bilder und ein Obsidian-Vault heraus."
    ),
    "Start the whole service on this machine.": "Den ganzen Dienst auf diesem Rechner starten.",
    "Stop what `up` started in this home.": "Anhalten, was `up` in diesem Ordner gestartet hat.",
    "Say what is there, what is missing, and how to get it.": (
        "Sagen, was da ist, was fehlt, woher man es bekommt."
    ),
    "Convert files here and now, with no service.": "Dateien sofort und ohne Dienst umwandeln.",
    "Convert files through the service; starts it if none runs.": (
        "Dateien durch den Dienst umwandeln; er wird gestartet, wenn keiner läuft."
    ),
    "Hand in files or addresses; prints one id per job.": (
        "Dateien oder Adressen abgeben; nennt je Auftrag eine Nummer."
    ),
    "Follow jobs until they are finished.": "Aufträge verfolgen, bis sie fertig sind.",
    "The latest jobs.": "Die neuesten Aufträge.",
    "One job: its state, its results, and its Markdown.": "Ein Auftrag: Stand, Ergebnisse und Markdown.",
    "What happened to a job, line by line.": "Was mit einem Auftrag geschah, Zeile für Zeile.",
    "Fetch a job's ZIP.": "Das ZIP eines Auftrags holen.",
    "Stop a job, whether it waits or runs.": "Einen Auftrag abbrechen, ob er wartet oder läuft.",
    "Run a finished job again.": "Einen beendeten Auftrag noch einmal ausführen.",
    "Many jobs at once.": "Viele Aufträge auf einmal.",
    "Hand in all jobs of a file; all of them or none.": (
        "Alle Aufträge einer Datei abgeben; alle oder keinen."
    ),
    "Follow a batch until it is finished; exit code 1 if any member failed.": (
        "Einen Stapel verfolgen, bis er fertig ist; Endwert 1, wenn ein Auftrag darin scheiterte."
    ),
    "Run the failed members again.": "Die gescheiterten Aufträge noch einmal ausführen.",
    "Fetch the vault of a whole batch; waits until it is built.": (
        "Das Vault eines ganzen Stapels holen; wartet, bis es gebaut ist."
    ),
    "A whole event as one batch of sessions.": "Eine ganze Veranstaltung als ein Stapel von Vorträgen.",
    "The templates that a job can be written with.": "Die Vorlagen, nach denen geschrieben werden kann.",
    "What the service has done and has still to do.": "Was der Dienst getan und noch zu tun hat.",
    "API keys, for the access mode api_key.": "API-Schlüssel, für die Zugangsart api_key.",
    "Make a key. It is shown now and never again.": (
        "Einen Schlüssel anlegen. Er wird nur dieses Mal gezeigt."
    ),
    "All keys, newest first; never the key itself.": "Alle Schlüssel, neue zuerst; nie der Schlüssel selbst.",
    "Make a key useless from now on.": "Einen Schlüssel ab sofort sperren.",
    "Create the indexes and update the documents of this version; run it again at will.": (
        "Indizes anlegen und Daten auf den Stand dieser Version bringen; beliebig oft wiederholbar."
    ),
    # arguments and options
    "The port of the API and the dashboard.": "Der Port von API und Übersicht.",
    "How many worker processes to start.": "Wie viele Arbeitsprozesse starten.",
    "Documents: PDF, Office, pictures.": "Dokumente: PDF, Office, Bilder.",
    "Also write a picture of every page.": "Auch ein Bild jeder Seite schreiben.",
    "Return when it is ready and leave it running.": (
        "Zurückkehren, sobald er bereit ist, und ihn laufen lassen."
    ),
    "Where the Markdown goes.": "Wohin das Markdown kommt.",
    "native, auto, ocr, both, preview, llm …": "native, auto, ocr, both, preview, llm …",
    "Of the text, such as de; helps OCR.": "Die des Textes, etwa de; hilft der Texterkennung.",
    "Where the archives are unpacked.": "Wohin die Archive entpackt werden.",
    "Where data, logs and credentials live.": "Wo Daten, Protokolle und Zugangsdaten liegen.",
    "The service; else the one in --home.": "Der Dienst; sonst der in --home.",
    "One JSON line per result.": "Eine Zeile JSON je Ergebnis.",
    "Wait at most so many seconds (exit code 4).": "Höchstens so viele Sekunden warten (Endwert 4).",
    "The folder for what is fetched.": "Der Ordner für das, was geholt wird.",
    "The id that `submit` printed.": "Die Nummer, die `submit` nannte.",
    "Stay until it is finished.": "Warten, bis er fertig ist.",
    "Files or addresses.": "Dateien oder Adressen.",
    "pdf, office, imageocr, session …; else by the file.": (
        "pdf, office, imageocr, session …; sonst nach der Datei."
    ),
    "A parameter, as name=value.": "Ein Parameter, als name=wert.",
    "A tag; may be repeated.": "Ein Schlagwort; auch mehrfach.",
    "0 to 9; higher goes first.": "0 bis 9; höher kommt zuerst.",
    "Ids of jobs.": "Nummern von Aufträgen.",
    "pending, processing, completed, failed …": "pending, processing, completed, failed …",
    "Jobs of this type.": "Aufträge dieser Art.",
    "Members of this batch.": "Aufträge dieses Stapels.",
    "Jobs with this tag.": "Aufträge mit diesem Schlagwort.",
    "A word of the name.": "Ein Wort aus dem Namen.",
    "At most so many.": "Höchstens so viele.",
    "Use no cached pages.": "Keine Seiten aus dem Zwischenspeicher.",
    "The id that `batch create` or `import` printed.": "Die Nummer, die `batch create` oder `import` nannte.",
    'JSON: {"jobs": [{"job_type": …}, …]}': 'JSON: {"jobs": [{"job_type": …}, …]}',
    "What the batch is called.": "Wie der Stapel heißt.",
    "Address or file: Pentabarf XML, frab or pretalx JSON.": (
        "Adresse oder Datei: Pentabarf-XML, frab- oder pretalx-JSON."
    ),
    "Only this track.": "Nur diese Reihe.",
    "Only this room.": "Nur dieser Raum.",
    "Only this day, such as 2026-02-01.": "Nur dieser Tag, etwa 2026-02-01.",
    "Only show what would be imported.": "Nur zeigen, was übernommen würde.",
    "de, en, fr, es or it": "de, en, fr, es oder it",
    "Whom the key speaks for.": "Für wen der Schlüssel spricht.",
    "What the key is for.": "Wozu der Schlüssel dient.",
    "A group of that user; may be repeated.": "Eine Gruppe dieses Benutzers; auch mehrfach.",
    "May see and change everything.": "Darf alles sehen und ändern.",
    "May submit work that belongs to others.": "Darf Aufträge abgeben, die anderen gehören.",
    "Expires after so many days.": "Läuft nach so vielen Tagen ab.",
    "As `keys list` shows it.": "Wie `keys list` sie zeigt.",
    "Take over event_jobs and event_batches of this database.": (
        "event_jobs und event_batches dieser Datenbank übernehmen."
    ),
    "Who owns old jobs that name no user.": "Wem alte Aufträge gehören, die keinen Benutzer nennen.",
    "Install completion for the current shell.": "Ergänzung für diese Shell einrichten.",
    "Show completion for the current shell, to copy it or customize the installation.": (
        "Ergänzung für diese Shell zeigen, zum Kopieren oder Anpassen."
    ),
    "Show this message and exit.": "Diese Hilfe zeigen.",
}


def in_the_users_language(command: Any) -> Any:
    """The command with its help translated; its type is one that typer keeps to itself."""
    if language() == "de":
        for name, german in PANELS.items():
            setattr(typer.rich_utils, f"{name}_PANEL_TITLE", german)
        _translate(command)
    return command


def _translate(command: Any) -> None:
    for part in (command, *command.params):
        part.help = _german(getattr(part, "help", None))
    for inner in getattr(command, "commands", {}).values():
        _translate(inner)


def _german(text: str | None) -> str | None:
    """The first paragraph is translated, the example below it stays: it is a command."""
    if not text:
        return text
    first, separator, rest = text.partition("\n\n")
    return GERMAN.get(first.strip(), first) + separator + rest.replace("Example:", "Beispiel:")
