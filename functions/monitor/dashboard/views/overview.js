// What runs, what waits, what went wrong: everything an operator wants to know at a glance.

import { h, replace } from "../dom.js";
import { number, say, seconds } from "../words.js";
import { batchTable } from "./batches.js";
import { jobTable } from "./parts.js";

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

function figures(statistics) {
  const states = STATES.map((state) => tile(say(state), number(statistics.jobs?.[state] ?? 0), `#/jobs?status=${state}`, state));
  return [h("section", {}, h("h2", {}, say("by_state")), h("div", { class: "tiles" }, states))];
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
