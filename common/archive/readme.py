"""README.md of an archive: what it holds, where it comes from and how to open it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from common.text import one_line

_TEXTS = {
    "en": {
        "event": "Event",
        "track": "Track",
        "speakers": "Speakers",
        "date": "Date",
        "language": "Language",
        "note": "Note",
        "sessions": "Sessions",
        "failed": "Not delivered",
        "sources": "Sources",
        "open": "How to open it",
        "how": (
            "Unpack the archive into a folder and open that folder as a vault in Obsidian; its pictures\n"
            "and links then work as they are. Every other Markdown editor shows the texts too.\n"
            "`manifest.json` lists every file with its size and SHA-256."
        ),
    },
    "de": {
        "event": "Veranstaltung",
        "track": "Reihe",
        "speakers": "Vortragende",
        "date": "Datum",
        "language": "Sprache",
        "note": "Notiz",
        "sessions": "Vorträge",
        "failed": "Nicht geliefert",
        "sources": "Quellen",
        "open": "So wird es geöffnet",
        "how": (
            "Das Archiv in einen Ordner entpacken und diesen Ordner in Obsidian als Vault öffnen; Bilder\n"
            "und Verweise funktionieren dann unverändert. Jeder andere Markdown-Editor zeigt die Texte\n"
            "ebenfalls. `manifest.json` nennt jede Datei mit Größe und SHA-256."
        ),
    },
}


def readme(
    *, title: str, facts: Mapping[str, str] | None = None, links: Iterable[str] = (), language: str = "en"
) -> str:
    """`facts` are shown under their translated names; an empty one is left out."""
    texts = _TEXTS.get(language.lower()[:2], _TEXTS["en"])
    lines = [f"# {one_line(title)}", ""]
    shown = {name: one_line(value) for name, value in (facts or {}).items() if value}
    lines += [f"- **{texts.get(name, name)}:** {value}" for name, value in shown.items()]
    sources = [f"- <{one_line(link)}>" for link in dict.fromkeys(links) if link]
    if sources:
        lines += ["", f"## {texts['sources']}", *sources]
    lines += ["", f"## {texts['open']}", texts["how"], ""]
    return "\n".join(lines)
