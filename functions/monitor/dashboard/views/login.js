// Sign in with an API key or a token, where the service asks for one.

import { h, replace } from "../dom.js";
import { say } from "../words.js";

export function showLogin({ app, place }) {
  const field = h("input", { type: "password", id: "key", autocomplete: "off", required: true, size: 40 });
  const form = h("form", { onsubmit: (event) => { event.preventDefault(); app.signIn(field.value.trim()); } },
    h("div", { class: "row" }, h("label", {}, say("key"), field), h("button", { class: "main" }, say("login"))),
    h("p", { class: "soft" }, say("login_hint")));
  replace(place, h("h1", {}, say("login")), h("section", {}, form));
  field.focus();
}
