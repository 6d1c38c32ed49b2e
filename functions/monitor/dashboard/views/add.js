// Hand something in: files by drag and drop, a document by its address, a whole event by its schedule.

import { bar, button, h, replace } from "../dom.js";
import { chosenLanguage, number, say } from "../words.js";
import { cell, table } from "./parts.js";

// Which job a file becomes, by its ending; the worker looks at the bytes themselves.
const TYPES = [
  [/\.(docx|xlsx|odt|ods|odp|pptx)$/i, "office"], [/\.(png|jpe?g|webp|tiff?|heic)$/i, "imageocr"],
  [/\.(mp3|m4a|wav|flac|ogg|opus)$/i, "audio"], [/\.(mp4|mkv|webm|mov)$/i, "video"],
];
const WITH_PICTURES = ["pdf", "office"];
const PREVIEW_ROWS = 50;

export function showAdd({ app, place }) {
  replace(place, h("h1", {}, say("add")), dropZone(app), fromWeb(app), schedule(app));
}

function typeOf(name) {
  return TYPES.find(([pattern]) => pattern.test(name))?.[1] ?? "pdf";
}

function dropZone(app) {
  const pictures = h("input", { type: "checkbox", checked: true });
  const list = h("ul", { "aria-live": "polite" });
  const take = (files) => [...files].forEach((file) => sendFile(app, list, file, pictures.checked));
  const input = h("input", { type: "file", multiple: true, "aria-label": say("choose"), onchange: () => take(input.files) });
  const zone = h("div", {
    class: "drop",
    ondragover: (event) => { event.preventDefault(); zone.classList.add("over"); },
    ondragleave: () => zone.classList.remove("over"),
    ondrop: (event) => { event.preventDefault(); event.stopPropagation(); zone.classList.remove("over"); take(event.dataTransfer.files); },
  }, h("p", {}, say("drop")), input, h("p", { class: "soft" }, say("drop_hint")));
  take(app.dropped.splice(0));
  return h("section", {}, zone, h("p", {}, h("label", { class: "check" }, pictures, say("pictures_too"))), list);
}

async function sendFile(app, list, file, withPictures) {
  const progress = bar(0, file.name);
  const item = h("li", {}, say("uploading", { name: file.name }), progress);
  list.append(item);
  try {
    const upload = await app.secretary.upload(file, { onProgress: (share) => { progress.value = 100 * share; } });
    const type = typeOf(file.name);
    const options = WITH_PICTURES.includes(type) ? { include_images: withPictures } : {};
    const job = await app.secretary.createJob(type, { upload_id: upload, ...options }, { job_name: file.name.slice(0, 200) });
    const address = `/job/${encodeURIComponent(job.job_id)}`;
    replace(item, h("a", { href: `#${address}` }, say("submitted", { name: file.name })));
    if (list.children.length === 1) app.go(address);
  } catch (error) {
    replace(item, h("span", { class: "error" }, `${file.name}: ${error.message}`));
  }
}

function fromWeb(app) {
  const url = h("input", { type: "url", required: true, size: 50, placeholder: "https://" });
  const send = app.act(async () => {
    const job = await app.secretary.createJob(typeOf(url.value.split(/[?#]/)[0]), { url: url.value });
    app.go(`/job/${encodeURIComponent(job.job_id)}`);
  });
  return h("section", {}, h("h2", {}, say("from_web")),
    h("form", { class: "row", onsubmit: (event) => { event.preventDefault(); send(); } },
      h("label", {}, say("address"), url), h("button", { class: "main" }, say("submit"))));
}

function schedule(app) {
  const field = (word, name, attributes = {}) => h("label", {}, say(word), h("input", { name, ...attributes }));
  const languages = ["de", "en", "fr", "es", "it"].map((code) =>
    h("option", { value: code, selected: code === chosenLanguage() }, code));
  const address = field("schedule_hint", "url", { type: "url", required: true, size: 50, placeholder: "https://" });
  const file = field("schedule_file", "file", { type: "file", accept: ".xml,.json" });
  file.addEventListener("change", () => { address.querySelector("input").required = !file.querySelector("input").files.length; });
  const result = h("div", { "aria-live": "polite" });
  const form = h("form", { class: "row" },
    address, file,
    field("track", "track"), field("room", "room"), field("day", "day"),
    field("limit", "limit", { type: "number", min: 1, max: 10000 }),
    h("label", {}, say("target_language"), h("select", { name: "target_language" }, languages)),
    h("button", { class: "main" }, say("preview")));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      const body = await importBody(app, form);
      replace(result, preview(app, await app.secretary.importSchedule({ ...body, dry_run: true }), body));
    } catch (error) { replace(result, h("p", { class: "error", role: "alert" }, error.message)); }
  });
  return h("section", {}, h("h2", {}, say("schedule")), form, result);
}

// A chosen file goes before an address.
async function importBody(app, form) {
  const given = Object.fromEntries([...new FormData(form)].filter(([, value]) => value));
  const { target_language: language, limit, file, url, ...filters } = given;
  const source = file.name ? { upload_id: await app.secretary.upload(file) } : { url };
  return { ...source, ...filters, ...(limit ? { limit: Number(limit) } : {}), parameters: { target_language: language } };
}

function preview(app, data, body) {
  const rows = data.jobs.slice(0, PREVIEW_ROWS).map(({ parameters }) => h("tr", {},
    cell("session", parameters.session), cell("track", parameters.track),
    cell("time", [parameters.day, parameters.starttime].filter(Boolean).join(" ")),
    cell("speakers", [parameters.speakers ?? []].flat().join(", "))));
  const count = number(data.total ?? data.jobs.length);
  const start = app.act(async () => {
    const { batch_id: batchId } = await app.secretary.importSchedule(body);
    app.go(`/batch/${encodeURIComponent(batchId)}`);
  });
  const ready = rows.length ? button(say("import", { count }), start, { class: "main" }) : null;
  return h("div", {}, h("p", {}, say("found_sessions", { count }), " ", ready),
    table(["session", "track", "time", "speakers"], rows));
}
