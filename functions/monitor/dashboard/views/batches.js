// Batches: the list, and one batch with its members, its failures and what can be done with it.

import { bar, button, facts, h, replace } from "../dom.js";
import { moment, number, say } from "../words.js";
import { badge, cell, jobLink, jobTable, table } from "./parts.js";

export async function showBatches({ app, place }) {
  const { batches } = await app.secretary.batches({ limit: 100 });
  const list = batches.length ? batchTable(batches) : h("p", { class: "soft" }, say("nothing"));
  replace(place, h("h1", {}, say("batches")), h("section", {}, list));
}

export function batchTable(batches) {
  const rows = batches.map((batch) => h("tr", {},
    cell("status", badge(batch.status), batch.isActive === false ? ` ${say("paused")}` : ""),
    cell("name", h("a", { href: `#/batch/${encodeURIComponent(batch.batch_id)}` }, batch.batch_name || batch.batch_id)),
    cell("progress", progressOf(batch)), cell("created", moment(batch.created_at))));
  return table(["status", "name", "progress", "created"], rows);
}

function finished(batch) {
  return batch.completed_jobs + batch.failed_jobs + (batch.cancelled_jobs ?? 0);
}

function progressOf(batch) {
  const percent = batch.total_jobs ? (100 * finished(batch)) / batch.total_jobs : 100;
  return [bar(percent, say("progress")), ` ${number(finished(batch))} / ${number(batch.total_jobs)}`];
}

export async function showBatch({ app, place, signal, id }) {
  const [head, members] = [h("div"), h("div")];
  replace(place, head, members);
  await app.secretary.waitForBatch(id, { signal, onChange: (batch) => {
    if (signal.aborted) return;
    replace(head, ...headOf(app, batch));
    showMembers(app, members, batch).catch((error) => app.notify(say("error", { message: error.message })));
  } });
}

function headOf(app, batch) {
  return [
    h("h1", {}, batch.batch_name || batch.batch_id, " ", badge(batch.status)),
    h("section", {}, h("p", {}, progressOf(batch)), actions(app, batch), facts([
      [say("batch"), batch.batch_id], [say("created"), moment(batch.created_at)],
      [say("finished"), moment(batch.completed_at)], [say("completed"), number(batch.completed_jobs)],
      [say("failed"), number(batch.failed_jobs)], [say("owner"), batch.user_id],
    ])),
  ];
}

function actions(app, batch) {
  const id = batch.batch_id;
  const isActive = batch.isActive;
  const isOver = finished(batch) >= batch.total_jobs;
  const fetchArchive = async () => {
    location.assign(await app.secretary.batchArchiveUrl(id, { onBuilding: () => app.notify(say("archive_building")) }));
  };
  const retry = async () => { await app.secretary.retryFailed(id); app.again(); };
  const toggle = async () => { await app.secretary.setBatchActive(id, !isActive); app.again(); };
  const remove = async () => {
    if (!confirm(say("sure_remove", { name: batch.batch_name || id }))) return;
    await app.secretary.deleteBatch(id);
    app.go("/batches");
  };
  return h("div", { class: "row" },
    batch.completed_jobs ? button(say("download"), app.act(fetchArchive), { class: "main" }) : null,
    batch.failed_jobs ? button(say("retry_failed"), app.act(retry)) : null,
    isOver ? null : button(say(isActive ? "pause" : "resume"), app.act(toggle)),
    isOver ? null : button(say("cancel"), app.act(() => app.secretary.cancelBatch(id))),
    button(say("remove"), app.act(remove), { class: "danger" }));
}

async function showMembers(app, place, batch) {
  const query = { batch_id: batch.batch_id, limit: 50 };
  const [failed, all] = await Promise.all([
    batch.failed_jobs ? app.secretary.jobs({ ...query, status: "failed" }) : { jobs: [] }, app.secretary.jobs(query),
  ]);
  const reasons = failed.jobs.map((job) => h("li", {}, jobLink(job), `: ${job.error?.code ?? ""} ${job.error?.message ?? ""}`));
  const address = `#/jobs?batch_id=${encodeURIComponent(batch.batch_id)}`;
  replace(place,
    reasons.length ? h("section", {}, h("h2", {}, say("failures")), h("ul", {}, reasons)) : null,
    h("section", {}, h("h2", {}, say("members")), jobTable(all.jobs),
      h("p", {}, h("a", { href: address }, say("total", { count: number(batch.total_jobs) })))));
}
