// Every word the dashboard shows, in English and German. `say(name, values)` picks by the reader's choice.

const WORDS = {
  skip: ["Skip to content", "Zum Inhalt springen"],
  overview: ["Overview", "Übersicht"], jobs: ["Jobs", "Aufträge"], batches: ["Batches", "Stapel"],
  add: ["Add", "Hinzufügen"], templates: ["Templates", "Vorlagen"], language: ["Language", "Sprache"],
  theme: ["Light or dark", "Hell oder dunkel"], auto: ["System", "System"], light: ["Light", "Hell"], dark: ["Dark", "Dunkel"],
  loading: ["Loading …", "Wird geladen …"], nothing: ["Nothing here yet.", "Noch nichts da."],
  error: ["Something went wrong: {message}", "Etwas ging schief: {message}"],
  request_id: ["Request id {id}", "Anfragenummer {id}"],
  pending: ["waiting", "wartet"], processing: ["running", "läuft"], completed: ["completed", "fertig"],
  failed: ["failed", "gescheitert"], cancelled: ["cancelled", "abgebrochen"], partial: ["partly failed", "teils gescheitert"],
  status: ["Status", "Status"], type: ["Type", "Art"], name: ["Name", "Name"], created: ["Created", "Erstellt"],
  finished: ["Finished", "Beendet"], duration: ["Duration", "Dauer"], progress: ["Progress", "Fortschritt"],
  all: ["all", "alle"], search: ["Search", "Suche"], search_hint: ["name, tag or id", "Name, Schlagwort oder Nummer"],
  more: ["Show more", "Mehr zeigen"], apply: ["Apply", "Anwenden"], of: ["{done} of {total} pages", "{done} von {total} Seiten"],
  left: ["about {time} left", "noch etwa {time}"], job: ["Job", "Auftrag"], batch: ["Batch", "Stapel"],
  attempts: ["Attempts", "Versuche"], worker: ["Worker", "Arbeiter"], owner: ["Owner", "Eigentümer"],
  priority: ["Priority", "Vorrang"], tags: ["Tags", "Schlagwörter"], parameters: ["Parameters", "Angaben"],
  logs: ["Log", "Protokoll"], files: ["Files", "Dateien"], pictures: ["Pictures", "Bilder"], text: ["Text", "Text"],
  warnings: ["Warnings", "Hinweise"], deliveries: ["Webhook deliveries", "Webhook-Zustellungen"], timeline: ["Timeline", "Verlauf"],
  download: ["Download ZIP", "ZIP herunterladen"], cancel: ["Cancel", "Abbrechen"], restart: ["Restart", "Neu starten"],
  remove: ["Delete", "Löschen"], sure_remove: ["Delete “{name}” and its files for good?", "„{name}“ mit allen Dateien endgültig löschen?"],
  removed: ["Deleted.", "Gelöscht."], done_cancel: ["Cancel requested.", "Abbruch angefordert."], done_restart: ["Restarted.", "Neu gestartet."],
  members: ["Members", "Aufträge darin"], failures: ["Failures", "Fehlschläge"], retry_failed: ["Retry failed", "Gescheiterte wiederholen"],
  pause: ["Pause", "Anhalten"], resume: ["Resume", "Fortsetzen"], paused: ["paused", "angehalten"],
  archive_building: ["The archive is being built; it opens here when it is ready.", "Das Archiv wird gebaut und öffnet sich hier, sobald es fertig ist."],
  drop: ["Drop files here, or choose them", "Dateien hierher ziehen oder auswählen"], choose: ["Choose files", "Dateien auswählen"],
  drop_anywhere: ["Drop a document anywhere on this page", "Ein Dokument irgendwo auf diese Seite ziehen"],
  drop_hint: ["PDF, Office, pictures, audio and video", "PDF, Office, Bilder, Ton und Video"],
  pictures_too: ["Also make a picture of every page", "Auch ein Bild jeder Seite erzeugen"],
  from_web: ["From the web", "Aus dem Netz"], address: ["Address of a document", "Adresse eines Dokuments"], submit: ["Submit", "Abschicken"],
  uploading: ["Uploading {name}", "{name} wird hochgeladen"], submitted: ["Submitted: {name}", "Abgeschickt: {name}"],
  schedule: ["Event schedule", "Veranstaltungsplan"], schedule_hint: ["Address of a Pentabarf, frab or pretalx schedule", "Adresse eines Plans von Pentabarf, frab oder pretalx"],
  schedule_file: ["Or a file of it", "Oder eine Datei davon"],
  preview: ["Preview", "Vorschau"], import: ["Import {count} sessions", "{count} Vorträge übernehmen"], track: ["Track", "Reihe"],
  room: ["Room", "Raum"], day: ["Day", "Tag"], limit: ["At most", "Höchstens"], found_sessions: ["{count} sessions found", "{count} Vorträge gefunden"],
  session: ["Session", "Vortrag"], time: ["Time", "Zeit"], speakers: ["Speakers", "Vortragende"], target_language: ["Target language", "Zielsprache"],
  login: ["Sign in", "Anmelden"], key: ["API key or token", "API-Schlüssel oder Token"], login_hint: ["It stays in this browser tab only.", "Er bleibt nur in diesem Browser-Tab."],
  logout: ["Sign out", "Abmelden"], by_state: ["Jobs by state", "Aufträge nach Stand"], by_type: ["By type", "Nach Art"],
  success_rate: ["Success rate", "Erfolgsquote"], queue_depth: ["Waiting in queues", "Wartend in Schlangen"], queue_age: ["Oldest waiting", "Am längsten wartend"],
  over_time: ["Over time", "Im Verlauf"], window: ["How far back", "Wie weit zurück"], last_24h: ["24 hours", "24 Stunden"],
  last_7d: ["7 days", "7 Tage"], last_30d: ["30 days", "30 Tage"], ended: ["Completed", "Fertig geworden"],
  mean_duration: ["Mean duration", "Durchschnittliche Dauer"], at_most: ["at most {time}", "höchstens {time}"], tracks: ["Tracks", "Reihen"],
  active_batches: ["Active batches", "Aktive Stapel"], median: ["Median duration", "Mittlere Dauer"], count: ["Count", "Anzahl"],
  recent: ["Latest jobs", "Neueste Aufträge"], event: ["Event", "Veranstaltung"], size: ["Size", "Größe"], state: ["State", "Stand"],
  attempt: ["Attempt {number}", "Versuch {number}"], redelivered: ["It is sent again.", "Wird erneut gesendet."], time_of: ["Time", "Zeitpunkt"],
  next: ["Next attempt", "Nächster Versuch"], reason: ["Reason", "Grund"], redeliver: ["Send again", "Erneut senden"],
  not_found: ["There is no such page.", "Diese Seite gibt es nicht."], total: ["{count} in all", "{count} insgesamt"], at_least: ["more than {count}", "mehr als {count}"],
  archive: ["Archive", "Archiv"], source: ["Source", "Quelle"], languages: ["Languages", "Sprachen"], none: ["none", "keine"],
};

const SUPPORTED = ["en", "de"];

export function chosenLanguage() {
  const chosen = localStorage.getItem("language");
  if (SUPPORTED.includes(chosen)) return chosen;
  return navigator.language.toLowerCase().startsWith("de") ? "de" : "en";
}

export function say(name, values = {}) {
  const text = WORDS[name]?.[SUPPORTED.indexOf(chosenLanguage())] ?? name;
  return text.replace(/\{(\w+)\}/g, (_, key) => values[key] ?? "");
}

export function number(value) {
  return new Intl.NumberFormat(chosenLanguage()).format(value);
}

export function moment(text) {
  if (!text) return "";
  return new Intl.DateTimeFormat(chosenLanguage(), { dateStyle: "medium", timeStyle: "medium" }).format(new Date(text));
}

export function seconds(value) {
  if (value === null || value === undefined) return "";
  if (value < 60) return `${value < 10 ? Math.round(value * 10) / 10 : Math.round(value)} s`;
  if (value < 3600) return `${Math.floor(value / 60)} min ${Math.round(value % 60)} s`;
  return `${Math.floor(value / 3600)} h ${Math.round((value % 3600) / 60)} min`;
}

export function bytes(value) {
  const units = ["B", "kB", "MB", "GB"];
  let at = 0;
  for (; value >= 1000 && at < units.length - 1; at += 1) value /= 1000;
  return `${at ? value.toFixed(1) : value} ${units[at]}`;
}
