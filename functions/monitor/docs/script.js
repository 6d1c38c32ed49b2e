// Shows the specification as a page. All text goes in as text, never as HTML.
"use strict";

const METHODS = ["get", "post", "put", "delete"];

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function resolved(spec, schema) {
  return schema.$ref ? spec.components.schemas[schema.$ref.split("/").pop()] : schema;
}

function typeOf(spec, schema) {
  const found = resolved(spec, schema);
  const union = found.oneOf ?? found.anyOf;
  if (union) return union.map((part) => typeOf(spec, part)).join(" | ");
  if ("const" in found) return JSON.stringify(found.const);
  if (found.enum) return found.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (found.type === "array") return `${typeOf(spec, found.items ?? {})}[]`;
  if (found.type === "object" && schema.$ref) return schema.$ref.split("/").pop();
  return found.format ?? found.type ?? "any";
}

function table(heads, rows) {
  const head = element("tr", {}, ...heads.map((text) => element("th", { scope: "col" }, text)));
  const body = rows.map((cells) => element("tr", {}, ...cells.map((cell) => element("td", {}, cell))));
  return element("table", {}, element("thead", {}, head), element("tbody", {}, ...body));
}

function parameters(spec, operation) {
  const rows = (operation.parameters ?? []).map((one) => [
    element("code", {}, one.name), one.in, typeOf(spec, one.schema), one.description ?? "",
  ]);
  return rows.length ? [element("h3", {}, "Parameters"), table(["name", "in", "type", "what"], rows)] : [];
}

function fields(spec, schema) {
  const found = resolved(spec, schema);
  const forms = found.oneOf ?? [];
  if (forms.length) {
    return forms.flatMap((form) => {
      const one = resolved(spec, form);
      return [element("h3", {}, one.title ?? "One of"), element("p", {}, one.description ?? ""), ...fields(spec, one)];
    });
  }
  const required = new Set(found.required ?? []);
  const rows = Object.entries(found.properties ?? {}).flatMap(([name, own]) => {
    const row = [element("code", {}, name), typeOf(spec, own), required.has(name) ? "required" : "", own.description ?? ""];
    const inner = name === "parameters" ? Object.entries(resolved(spec, own).properties ?? {}) : [];
    return [row, ...inner.map(([key, value]) => [
      element("code", {}, `${name}.${key}`), typeOf(spec, value),
      (resolved(spec, own).required ?? []).includes(key) ? "required" : "", value.description ?? "",
    ])];
  });
  return rows.length ? [table(["field", "type", "", "what"], rows)] : [];
}

function body(spec, path, method, operation) {
  const content = operation.requestBody?.content?.["application/json"];
  if (!content) return [element("h3", {}, "Try it"), element("pre", {}, curl(path, method))];
  const example = Object.values(content.examples ?? {})[0]?.value;
  return [
    element("h3", {}, "Body"), ...fields(spec, content.schema),
    element("h3", {}, "Try it"), element("pre", {}, curl(path, method, example ?? {})),
  ];
}

function curl(path, method, example) {
  const verb = method === "get" ? "" : ` -X ${method.toUpperCase()}`;
  const data = example === undefined ? "" : ` \\\n  -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify(example)}'`;
  return `curl${verb} '${location.origin}${path}'${data}`;
}

function answers(spec, operation) {
  const rows = Object.entries(operation.responses).map(([status, response]) => {
    const [media, content] = Object.entries(response.content ?? {})[0] ?? ["", {}];
    return [status, response.description, content.schema ? `${media} ${typeOf(spec, content.schema)}` : ""];
  });
  return [element("h3", {}, "Answers"), table(["status", "what", "form"], rows)];
}

function card(spec, path, method, operation) {
  const head = element("summary", {}, element("span", { class: "method" }, method.toUpperCase()),
    element("code", {}, path), " ", element("span", { class: "note" }, operation.summary ?? ""));
  const made = element("details", { "data-find": `${method} ${path} ${operation.summary}`.toLowerCase() }, head);
  made.addEventListener("toggle", () => {
    if (!made.open || made.children.length > 1) return;
    made.append(element("div", {}, ...parameters(spec, operation), ...body(spec, path, method, operation),
      ...answers(spec, operation)));
  });
  return made;
}

function show(spec) {
  document.getElementById("about").textContent = `${spec.info.description}\n\nVersion ${spec.info.version}`;
  const sections = spec.tags.map((tag) => {
    const cards = Object.entries(spec.paths).flatMap(([path, methods]) => METHODS
      .filter((method) => methods[method]?.tags.includes(tag.name))
      .map((method) => card(spec, path, method, methods[method])));
    return element("section", {}, element("h2", {}, tag.name), ...cards);
  });
  document.getElementById("operations").replaceChildren(...sections);
}

document.getElementById("find").addEventListener("input", (event) => {
  const wanted = event.target.value.toLowerCase();
  for (const one of document.querySelectorAll("details")) one.hidden = !one.dataset.find.includes(wanted);
});

fetch("/api/openapi.json")
  .then((answer) => (answer.ok ? answer.json() : Promise.reject(new Error(`The service answered ${answer.status}.`))))
  .then(show)
  .catch((error) => document.getElementById("operations").replaceChildren(error.message));
