// The list of jobs: filters, search, and paging by cursor, so that the last page costs what the first does.

import { button, h, replace } from "../dom.js";
import { say } from "../words.js";
import { jobTable } from "./parts.js";

const STATES = ["pending", "processing", "completed", "failed", "cancelled"];
const ROWS = 50;

export async function showJobs({ app, place, query }) {
  const types = (await app.secretary.jobTypes()).map((type) => type.job_type);
  const list = h("div");
  const form = filters(query, types, (chosen) => app.go(`/jobs?${chosen}`));
  replace(place, h("h1", {}, say("jobs")), h("section", {}, form, list));
  await addPage(app, list, Object.fromEntries(query), null);
}

function filters(query, types, apply) {
  const choice = (name, values, word) => {
    const options = values.map((value) => h("option", { value }, word(value)));
    const select = h("select", { name }, h("option", { value: "" }, say("all")), options);
    select.value = query.get(name) ?? "";
    return select;
  };
  const search = h("input", { name: "q", type: "search", value: query.get("q") ?? "", placeholder: say("search_hint") });
  const form = h("form", { class: "row", role: "search" },
    h("label", {}, say("status"), choice("status", STATES, say)),
    h("label", {}, say("type"), choice("job_type", types, (type) => type)),
    h("label", {}, say("search"), search),
    h("button", { class: "main" }, say("apply")));
  const send = (event) => {
    event?.preventDefault();
    const given = [...new FormData(form)].filter(([, value]) => value);
    if (query.get("batch_id")) given.push(["batch_id", query.get("batch_id")]);
    apply(new URLSearchParams(given));
  };
  form.addEventListener("submit", send);
  form.addEventListener("change", (event) => { if (event.target.tagName === "SELECT") send(); });
  return form;
}

async function addPage(app, list, query, cursor) {
  const found = await app.secretary.jobs({ ...query, limit: ROWS, cursor });
  list.append(found.jobs.length ? jobTable(found.jobs) : h("p", { class: "soft" }, say("nothing")));
  if (!found.next_cursor) return;
  const more = button(say("more"), async () => {
    more.remove();
    await addPage(app, list, query, found.next_cursor);
  });
  list.append(more);
}
