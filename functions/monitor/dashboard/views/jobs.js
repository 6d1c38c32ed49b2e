// The list of jobs: filters, search, and paging by cursor, so that the last page costs what the first does.

import { button, h, replace } from "../dom.js";
import { say } from "../words.js";
import { jobTable } from "./parts.js";

const STATES = ["pending", "processing", "completed", "failed", "cancelled"];
const ROWS = 50;

export async function showJobs({ app, place, query, signal }) {
  const types = (await app.secretary.jobTypes()).map((type) => type.job_type);
  const list = h("div");
  const form = filters(query, types, (chosen) => app.go(`/jobs?${chosen}`));
  replace(place, h("h1", {}, say("jobs")), h("section", {}, form, list));
  const wanted = { ...Object.fromEntries(query), limit: ROWS };
  for (let page = await app.secretary.jobs(wanted); !signal.aborted; ) {
    if (!list.dataset.turned) replace(list, rows(app, list, wanted, page));
    page = await app.secretary.nextJobs({ ...wanted, since: page.version }, { signal });
  }
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

// A reader who has turned the page is not disturbed by newer jobs.
function rows(app, list, wanted, page) {
  const more = button(say("more"), app.act(async () => {
    list.dataset.turned = true;
    const next = await app.secretary.jobs({ ...wanted, cursor: page.next_cursor });
    more.replaceWith(...rows(app, list, wanted, next));
  }));
  const shown = page.jobs.length ? jobTable(page.jobs) : h("p", { class: "soft" }, say("nothing"));
  return page.next_cursor ? [shown, more] : [shown];
}
