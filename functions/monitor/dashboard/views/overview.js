// What runs, what waits, what went wrong: everything an operator wants to know at a glance.

import { h, replace } from "../dom.js";
import { number, say, seconds } from "../words.js";
import { batchTable } from "./batches.js";
import { cell, jobTable, table } from "./parts.js";

const STATES = ["pending", "processing", "completed", "failed", "cancelled"];
const REFRESH_MILLISECONDS = 5000;

export async function showOverview({ app, place, signal }) {
  while (!signal.aborted) {
    await draw(app, place, signal);
    await pause(signal);
  }
}

async function draw(app, place, signal) {
  const [statistics, { jobs }, { batches }] = await Promise.all([
    app.secretary.statistics(), app.secretary.jobs({ limit: 10 }), app.secretary.batches({ limit: 20 }),
  ]);
  if (signal.aborted) return;
  const active = batches.filter((batch) => ["pending", "processing"].includes(batch.status));
  replace(place, h("h1", {}, say("overview")), ...figures(statistics),
    active.length ? h("section", {}, h("h2", {}, say("active_batches")), batchTable(active)) : null,
    h("section", {}, h("h2", {}, say("recent")), jobs.length ? jobTable(jobs) : welcome()));
}

function welcome() {
  return h("p", {}, h("a", { class: "button main", href: "#/add" }, say("drop")));
}

function figures({ jobs, types, tracks, throughput, success_rate: rate, queue }) {
  const states = STATES.map((state) => tile(say(state), number(jobs[state]), `#/jobs?status=${state}`, state));
  const health = h("dl", { class: "facts" },
    fact("success_rate", rate === null ? "–" : `${Math.round(1000 * rate) / 10} %`),
    fact("queue_depth", number(queue.depth)), fact("queue_age", seconds(queue.oldest_seconds) || "–"));
  return [
    h("section", {}, h("h2", {}, say("by_state")), h("div", { class: "tiles" }, states)),
    h("div", { class: "grid" },
      h("section", {}, h("h2", {}, say("throughput")), chart(throughput), health),
      h("section", {}, h("h2", {}, say("by_type")), typeTable(types)),
      tracks.length ? h("section", {}, h("h2", {}, say("tracks")), trackTable(tracks)) : null),
  ];
}

function fact(word, value) {
  return [h("dt", {}, say(word)), h("dd", {}, value)];
}

// One bar an hour; the part that failed stands beside it in another colour.
function chart(throughput) {
  const now = Date.now();
  const hours = Array.from({ length: 24 }, () => ({ completed: 0, failed: 0 }));
  for (const { hour, status, count } of throughput) {
    const age = Math.floor((now - new Date(hour)) / 3_600_000);
    if (age >= 0 && age < 24 && status in hours[0]) hours[23 - age][status] += count;
  }
  const most = Math.max(1, ...hours.flatMap(({ completed, failed }) => [completed, failed]));
  const bars = hours.flatMap((one) => ["completed", "failed"].filter((status) => status === "completed" || one.failed).map((status) => {
    const column = h("span", { class: status });
    column.style.height = `${(100 * one[status]) / most}%`;
    return column;
  }));
  const total = hours.reduce((sum, { completed }) => sum + completed, 0);
  return h("div", { class: "chart", role: "img", "aria-label": `${say("throughput")}: ${number(total)}` }, bars);
}

function typeTable(types) {
  const rows = types.map((type) => h("tr", {}, cell("type", h("a", { href: `#/jobs?job_type=${type.job_type}` }, type.job_type)),
    cell("count", number(type.total)), cell("failed", number(type.failed)), cell("median", seconds(type.median_seconds))));
  return table(["type", "count", "failed", "median"], rows);
}

function trackTable(tracks) {
  const rows = tracks.slice(0, 12).map((track) => h("tr", {},
    cell("track", track._id), cell("count", number(track.count)), cell("completed", number(track.completed)), cell("failed", number(track.failed))));
  return table(["track", "count", "completed", "failed"], rows);
}

function tile(label, value, address, kind = "") {
  return h("a", { class: `tile ${kind}`, href: address }, h("b", {}, value), label);
}

function pause(signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, REFRESH_MILLISECONDS);
    signal.addEventListener("abort", () => { clearTimeout(timer); resolve(); }, { once: true });
  });
}
