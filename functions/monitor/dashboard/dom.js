// Builds elements. Text always becomes a text node, so nothing a user wrote is ever read as HTML.

export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function replace(target, ...children) {
  target.replaceChildren(...children.flat(Infinity).filter(Boolean));
}

// A list of tags or names, as a small table of two columns.
export function facts(rows) {
  return h("dl", { class: "facts" }, rows.filter(([, value]) => value !== null && value !== undefined && value !== "")
    .map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}

export function bar(percent, label) {
  const value = Math.max(0, Math.min(100, percent || 0));
  return h("progress", { max: 100, value, "aria-label": label }, `${Math.round(value)} %`);
}

export function button(label, act, attributes = {}) {
  return h("button", { type: "button", onclick: act, ...attributes }, label);
}
