// What runs, what waits, what went wrong: everything an operator wants to know at a glance.

import { h, replace } from "../dom.js";
import { number, say, seconds } from "../words.js";
import { batchTable } from "./batches.js";
import { cell, jobTable, table } from "./parts.js";

const STATES = ["pending", "processing", "completed", "failed", "cancelled"];
const HOUR = 3_600_000;
const WINDOWS = { "24h": { bars: 24, span: HOUR }, "7d": { bars: 28, span: 6 * HOUR }, "30d": { bars: 30, span: 24 * HOUR } };

// Drawn anew when any of the latest jobs has changed: a long poll tells.
export async function showOverview({ app, place, signal, query }) {
  const window = query.get("window") in WINDOWS ? query.get("window") : "24h";
  while (!signal.aborted) {
    const [statistics, latest, { batches }] = await Promise.all([
      app.secretary.statistics({ window }), app.secretary.jobs({ limit: 10 }), app.secretary.batches({ ended: false, limit: 50 }),
    ]);
    if (signal.aborted) return;
    draw(app, place, statistics, latest.jobs, batches);
    await app.secretary.nextJobs({ limit: 10, since: latest.version }, { signal });
  }
}

function draw(app, place, statistics, jobs, batches) {
  replace(place, h("h1", {}, say("overview")), ...figures(app, statistics),
    batches.length ? h("section", {}, h("h2", {}, say("active_batches")), batchTable(batches)) : null,
    h("section", {}, h("h2", {}, say("recent")), jobs.length ? jobTable(jobs) : welcome()));
}

function welcome() {
  return h("div", { class: "drop" }, h("p", {}, say("drop_anywhere")), h("a", { class: "button main", href: "#/add" }, say("choose")));
}

function figures(app, { jobs, types, tracks, throughput, success_rate: rate, queue, window }) {
  const states = STATES.map((state) => tile(say(state), number(jobs[state]), `#/jobs?status=${state}`, state));
  const health = h("dl", { class: "facts" },
    fact("success_rate", rate === null ? "–" : `${Math.round(1000 * rate) / 10} %`),
    fact("queue_depth", number(queue.depth)), fact("queue_age", seconds(queue.oldest_seconds) || "–"));
  return [
    h("section", {}, h("h2", {}, say("by_state")), h("div", { class: "tiles" }, states)),
    h("div", { class: "grid" },
      h("section", {}, h("div", { class: "row" }, h("h2", {}, say("over_time")), windowChoice(app, window)),
        ...charts(throughput, window), health),
      h("section", {}, h("h2", {}, say("by_type")), typeTable(types)),
      tracks.length ? h("section", {}, h("h2", {}, say("tracks")), trackTable(tracks)) : null),
  ];
}

function fact(word, value) {
  return [h("dt", {}, say(word)), h("dd", {}, value)];
}

function windowChoice(app, window) {
  const options = Object.keys(WINDOWS).map((name) => h("option", { value: name }, say(`last_${name}`)));
  const choice = h("select", { "aria-label": say("window"), onchange: () => app.go(`/?window=${choice.value}`) }, options);
  choice.value = window;
  return choice;
}

// What ended in each span of time, with the part that failed beside it, and how long the completed took.
function charts(throughput, window) {
  const { bars, span } = WINDOWS[window];
  const spans = Array.from({ length: bars }, () => ({ completed: 0, failed: 0, seconds: 0 }));
  for (const { hour, status, count, mean_seconds: mean } of throughput) {
    const one = spans[bars - 1 - Math.floor((Date.now() - new Date(hour)) / span)];
    if (!one || !(status in one)) continue;
    one[status] += count;
    if (status === "completed") one.seconds += count * (mean ?? 0);
  }
  const means = spans.map(({ completed, seconds: all }) => ({ mean: completed ? all / completed : 0 }));
  const total = spans.reduce((sum, { completed }) => sum + completed, 0);
  const longest = Math.max(...means.map(({ mean }) => mean));
  return [
    chart(`${say("ended")}: ${number(total)}`, spans, ["completed", "failed"]),
    chart(`${say("mean_duration")}: ${say("at_most", { time: seconds(longest) })}`, means, ["mean"]),
  ];
}

function chart(label, spans, names) {
  const most = Math.max(1e-9, ...spans.flatMap((one) => names.map((name) => one[name])));
  const bars = spans.flatMap((one) => names.filter((name) => name !== "failed" || one.failed).map((name) => {
    const column = h("span", { class: name });
    column.style.height = `${(100 * one[name]) / most}%`;
    return column;
  }));
  return h("figure", {}, h("div", { class: "chart", role: "img", "aria-label": label }, bars), h("figcaption", { class: "soft" }, label));
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
