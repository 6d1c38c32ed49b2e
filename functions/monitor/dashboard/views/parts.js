// Pieces that several views show: a state, the rows of a job list, a job's progress.

import { bar, h } from "../dom.js";
import { moment, say, seconds } from "../words.js";

export function badge(status) {
  return h("span", { class: `badge ${status}` }, say(status));
}

export function jobName(job) {
  const { session, filename, url } = job.parameters ?? {};
  return job.job_name || session || filename || lastPart(url) || job.job_id;
}

function lastPart(url) {
  return url ? url.split(/[?#]/)[0].split("/").filter(Boolean).pop() ?? "" : "";
}

export function jobLink(job) {
  return h("a", { href: `#/job/${encodeURIComponent(job.job_id)}` }, jobName(job));
}

export function duration(thing) {
  const started = thing.processing_started_at ?? thing.created_at;
  const ended = thing.completed_at;
  return ended && started ? seconds((new Date(ended) - new Date(started)) / 1000) : "";
}

function progressCell(job) {
  if (job.status !== "processing") return badge(job.status);
  return [badge(job.status), " ", bar(job.progress?.percent, say("progress"))];
}

export function jobTable(jobs) {
  const rows = jobs.map((job) => h("tr", {},
    cell("status", progressCell(job)), cell("name", jobLink(job)), cell("type", job.job_type),
    cell("created", moment(job.created_at)), cell("duration", duration(job))));
  return table(["status", "name", "type", "created", "duration"], rows);
}

export function table(columns, rows) {
  const head = h("tr", {}, columns.map((name) => h("th", { scope: "col" }, say(name))));
  return h("table", { class: "cards" }, h("thead", {}, head), h("tbody", {}, rows));
}

export function cell(name, ...content) {
  return h("td", { "data-label": say(name) }, h("span", {}, ...content));
}

export function progressText(job) {
  const now = job.progress ?? {};
  const pages = now.pages_total ? say("of", { done: now.pages_done ?? 0, total: now.pages_total }) : "";
  const left = now.eta_seconds ? say("left", { time: seconds(now.eta_seconds) }) : "";
  return [now.message || now.step, pages, left].filter(Boolean).join(" · ");
}
