// One job, live: progress, results, pictures, files, log, and what can be done with it.

import { bar, button, facts, h, replace } from "../dom.js";
import { renderMarkdown } from "../markdown.js";
import { bytes, moment, say, seconds } from "../words.js";
import { FINAL } from "../client.js";
import { badge, cell, duration, jobName, progressText, table } from "./parts.js";

const PICTURE = /\.(png|jpe?g|webp)$/i;
const MOST_PICTURES = 60;

export async function showJob({ app, place, signal, id }) {
  const [head, results, log, sent] = [h("div"), h("div"), h("div"), h("div")];
  replace(place, head, results, log, sent);
  const done = await app.secretary.waitForJob(id, { signal, onChange: (job) => {
    if (signal.aborted) return;
    replace(head, ...headOf(app, job));
    replace(log, timeline(job));
  } });
  if (signal.aborted) return;
  await Promise.all([showResults(app, results, done), done.webhook ? showDeliveries(app, sent, done) : null]);
}

function headOf(app, job) {
  const progress = FINAL.has(job.status) ? null
    : h("div", { "aria-live": "polite" }, bar(job.progress?.percent, say("progress")), h("p", {}, progressText(job)));
  const error = job.error ? h("p", { class: "error", role: "alert" }, `${job.error.code}: ${job.error.message}`) : null;
  const batch = job.batch_id ? h("a", { href: `#/batch/${encodeURIComponent(job.batch_id)}` }, job.batch_id) : null;
  const parameters = h("pre", { tabindex: 0 }, JSON.stringify(job.parameters, null, 2));
  return [
    h("h1", {}, jobName(job), " ", badge(job.status)),
    h("section", {}, progress, error, actions(app, job), facts([
      [say("job"), job.job_id], [say("type"), job.job_type], [say("batch"), batch],
      [say("created"), moment(job.created_at)], [say("finished"), moment(job.completed_at)],
      [say("duration"), duration(job)], [say("attempts"), String(job.attempt ?? "")], [say("worker"), job.worker_id],
      [say("owner"), job.user_id], [say("priority"), String(job.priority ?? "")], [say("tags"), (job.tags ?? []).join(", ")],
    ])),
    h("section", {}, h("details", {}, h("summary", {}, say("parameters")), parameters)),
  ];
}

function actions(app, job) {
  const fetchArchive = async () => { location.assign(await app.secretary.archiveUrl(job.job_id)); };
  const cancel = async () => { await app.secretary.cancelJob(job.job_id); app.notify(say("done_cancel")); };
  const restart = async () => { await app.secretary.restartJob(job.job_id); app.notify(say("done_restart")); app.again(); };
  const remove = async () => {
    if (!confirm(say("sure_remove", { name: jobName(job) }))) return;
    await app.secretary.deleteJob(job.job_id);
    app.notify(say("removed"));
    app.go("/jobs");
  };
  const isOver = FINAL.has(job.status);
  return h("div", { class: "row" },
    job.results?.archive_url ? button(say("download"), app.act(fetchArchive), { class: "main" }) : null,
    isOver ? button(say("restart"), app.act(restart)) : button(say("cancel"), app.act(cancel)),
    button(say("remove"), app.act(remove), { class: "danger" }));
}

async function showResults(app, place, job) {
  if (job.status !== "completed") return;
  const files = await app.secretary.files(job.job_id);
  const picture = (path, label) => lazyPicture(app, job, files, path, label);
  const pictures = files.filter((file) => PICTURE.test(file.path)).slice(0, MOST_PICTURES);
  const warnings = (job.results.warnings ?? []).map((warning) => h("li", {}, `${warning.code}: ${warning.message}`));
  const text = job.results.markdown_content;
  replace(place,
    warnings.length ? h("section", {}, h("h2", {}, say("warnings")), h("ul", {}, warnings)) : null,
    text ? h("section", {}, h("h2", {}, say("text")), renderMarkdown(text, picture)) : null,
    pictures.length ? h("section", {}, h("h2", {}, say("pictures")), h("div", { class: "gallery" }, pictures.map((file) => picture(file.path)))) : null,
    h("section", {}, h("h2", {}, say("files")), fileList(app, job, files)));
}

// Addresses are signed when the picture comes into view, because they expire.
function lazyPicture(app, job, files, path, label) {
  const file = files.find((one) => one.path === path || one.path.endsWith(`/${path}`));
  if (!file || !PICTURE.test(file.path)) return null;
  const image = h("img", { alt: label || file.path });
  new IntersectionObserver(async (entries, observer) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    image.src = await app.secretary.fileUrl(job.job_id, file.path, { inline: true });
  }).observe(image);
  return image;
}

function fileList(app, job, files) {
  const open = (path) => app.act(async () => { location.assign(await app.secretary.fileUrl(job.job_id, path)); });
  const rows = files.map((file) => h("tr", {},
    h("td", {}, button(file.path, open(file.path))), h("td", { class: "number" }, bytes(file.size))));
  return h("div", { class: "wide", tabindex: 0 }, h("table", {}, h("tbody", {}, rows)));
}

// The log, one group for each attempt; 0 is what happened before the first.
function timeline(job) {
  const groups = [...grouped(job.logs)].map(([number, lines]) => h("li", {},
    number ? h("h3", {}, say("attempt", { number }), " ", h("span", { class: "soft" }, span(lines))) : null,
    h("ul", { class: "log" }, lines.map((line) => h("li", { class: line.level }, `${moment(line.timestamp)}  ${line.message}`)))));
  return h("section", {}, h("h2", {}, say("timeline")), h("ol", { class: "timeline", tabindex: 0 }, groups));
}

function grouped(lines) {
  const groups = new Map();
  lines.forEach((line) => groups.set(line.attempt ?? 0, [...(groups.get(line.attempt ?? 0) ?? []), line]));
  return groups;
}

function span(lines) {
  return seconds((new Date(lines.at(-1).timestamp) - new Date(lines[0].timestamp)) / 1000);
}

function answersOf(delivery) {
  return delivery.attempts.map(({ status, reason }) => status ?? reason ?? "–").join(", ");
}

async function showDeliveries(app, place, job) {
  const again = (one) => app.act(async () => {
    await app.secretary.redeliver(one.delivery_id);
    app.notify(say("redelivered"));
    await showDeliveries(app, place, job);
  });
  const rows = (await app.secretary.deliveries(job.job_id)).map((one) => h("tr", {},
    cell("event", one.event_type), cell("state", one.state), cell("reason", one.reason ?? ""), cell("attempts", answersOf(one)), cell("time_of", moment(one.created_at)),
    h("td", {}, button(say("redeliver"), again(one)))));
  const list = rows.length ? table(["event", "state", "reason", "attempts", "time_of", "redeliver"], rows) : h("p", { class: "soft" }, say("nothing"));
  replace(place, h("section", {}, h("h2", {}, say("deliveries")), list));
}
