// The templates a session or document can be written with.

import { h, replace } from "../dom.js";
import { say } from "../words.js";
import { cell, table } from "./parts.js";

export async function showTemplates({ app, place }) {
  const rows = (await app.secretary.templates()).map((template) => h("tr", {},
    cell("name", template.name), cell("languages", template.languages.map(({ language }) => language).filter(Boolean).join(", "))));
  replace(place, h("h1", {}, say("templates")), h("section", {}, table(["name", "languages"], rows)));
}
