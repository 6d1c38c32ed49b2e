// Starts the dashboard: navigation, preferences, and which view the address asks for.

import { Secretary } from "./client.js";
import { button, h, replace } from "./dom.js";
import { chosenLanguage, say } from "./words.js";
import { showAdd } from "./views/add.js";
import { showBatch, showBatches } from "./views/batches.js";
import { showJob } from "./views/job.js";
import { showJobs } from "./views/jobs.js";
import { showLogin } from "./views/login.js";
import { showOverview } from "./views/overview.js";
import { showTemplates } from "./views/templates.js";

const PAGES = [
  ["", "overview", showOverview], ["jobs", "jobs", showJobs], ["batches", "batches", showBatches],
  ["add", "add", showAdd], ["templates", "templates", showTemplates],
  ["job", null, showJob], ["batch", null, showBatch],
];
const content = document.getElementById("content");
let leaving = new AbortController();

const app = {
  secretary: new Secretary("", { token: sessionStorage.getItem("token"), language: chosenLanguage() }),
  go: (address) => { location.hash = address; },
  again: () => show(),
  notify,
  // What a button does: an error is told, never swallowed.
  act: (call) => () => call().catch((error) => notify(say("error", { message: error.message }))),
  dropped: [], // files that the page "Add" is to take
  signIn(token) {
    sessionStorage.setItem("token", token);
    app.secretary.token = token;
    show();
  },
};

function notify(text) {
  const notice = h("div", { class: "notice" }, text);
  document.getElementById("notices").append(notice);
  setTimeout(() => notice.remove(), 6000);
}

// Every view gets a signal that ends its waiting when the reader goes elsewhere.
async function show() {
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [page, ...rest] = path.split("/").map(decodeURIComponent);
  const [, , view] = PAGES.find(([name]) => name === page) ?? [null, null, showNothing];
  frame(page);
  const place = h("div");
  replace(content, place);
  replace(place, h("p", { class: "soft" }, say("loading")));
  try {
    await view({ app, place, signal, id: rest.join("/"), query: new URLSearchParams(query) });
  } catch (error) {
    if (!signal.aborted) showError(place, error);
  }
}

function showNothing({ place }) {
  replace(place, h("h1", {}, say("not_found")));
}

function showError(place, error) {
  if (error.status === 401) return showLogin({ app, place });
  const id = error.requestId ? h("p", { class: "soft" }, say("request_id", { id: error.requestId })) : null;
  return replace(place, h("section", { role: "alert" }, h("p", { class: "error" }, say("error", { message: error.message })), id));
}

function frame(page) {
  document.documentElement.lang = chosenLanguage();
  document.querySelector("[data-word=skip]").textContent = say("skip");
  const links = PAGES.filter(([, word]) => word).map(([name, word]) =>
    h("a", { href: `#/${name}`, "aria-current": name === page ? "page" : null }, say(word)));
  replace(document.getElementById("navigation"), links);
  replace(document.getElementById("preferences"), languageChoice(), themeChoice(), signOut());
}

function languageChoice() {
  const options = [["en", "English"], ["de", "Deutsch"]].map(([code, name]) => h("option", { value: code }, name));
  const choice = h("select", { "aria-label": say("language"), onchange: (event) => {
    localStorage.setItem("language", event.target.value);
    app.secretary.language = event.target.value;
    show();
  } }, options);
  choice.value = chosenLanguage();
  return choice;
}

function themeChoice() {
  const options = ["auto", "light", "dark"].map((name) => h("option", { value: name }, say(name)));
  const choice = h("select", { "aria-label": say("theme"), onchange: (event) => {
    localStorage.setItem("theme", event.target.value);
    applyTheme();
  } }, options);
  choice.value = localStorage.getItem("theme") ?? "auto";
  return choice;
}

function applyTheme() {
  document.documentElement.dataset.theme = localStorage.getItem("theme") ?? "auto";
}

function signOut() {
  if (!app.secretary.token) return null;
  return button(say("logout"), () => { sessionStorage.removeItem("token"); location.reload(); });
}

// Files may be dropped anywhere: a browser would otherwise leave the page and open them.
function takeDrops() {
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    app.dropped = [...(event.dataTransfer?.files ?? [])];
    if (!app.dropped.length) return;
    if (location.hash === "#/add") show(); else app.go("/add");
  });
}

applyTheme();
takeDrops();
addEventListener("hashchange", () => { show(); content.focus(); });
show();
