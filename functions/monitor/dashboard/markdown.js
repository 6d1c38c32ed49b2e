// Shows Markdown as elements, built one by one: no HTML of a document is ever interpreted.
// Knows what our own processors write: headings, lists, tables, code, quotes, emphasis, links, pictures, embeds.

import { h } from "./dom.js";

const EMBED = /!\[\[([^\]|]+)(?:\|(\d+))?\]\]/;
const INLINE = /(`[^`\n]+`)|(!\[\[[^\]\n]+\]\])|(!?\[[^\]\n]*\]\([^()\s]+(?:\([^()\s]*\))?[^()\s]*\))|(\*\*[^*\n]+\*\*)|(\*[^*\n]+\*|_[^_\n]+_)/;
const LIST_ITEM = /^(\s*)([-*+]|\d+[.)])\s+(.*)$/;
const LIMIT_LINES = 20_000; // more would freeze the page; the file itself is complete

export function renderMarkdown(text, pictureOf = () => null) {
  const lines = text.split("\n").slice(0, LIMIT_LINES);
  const root = h("div", { class: "markdown" });
  let at = frontMatterEnd(lines);
  if (at) root.append(h("pre", { class: "front-matter" }, lines.slice(1, at - 1).join("\n")));
  while (at < lines.length) {
    const [block, next] = nextBlock(lines, at, pictureOf);
    if (block) root.append(block);
    at = next;
  }
  return root;
}

function frontMatterEnd(lines) {
  if (lines[0]?.trim() !== "---") return 0;
  const end = lines.indexOf("---", 1);
  return end < 0 ? 0 : end + 1;
}

function nextBlock(lines, at, pictureOf) {
  const line = lines[at];
  const inline = (text) => inlines(text, pictureOf);
  if (!line.trim()) return [null, at + 1];
  const heading = /^(#{1,6})\s+(.*)$/.exec(line);
  // The page has its own h1 and h2: headings of a document begin below them.
  if (heading) return [h(`h${Math.min(6, heading[1].length + 2)}`, {}, inline(heading[2])), at + 1];
  if (line.startsWith("```")) return codeBlock(lines, at);
  if (/^(-{3,}|\*{3,}|_{3,})\s*$/.test(line)) return [h("hr"), at + 1];
  if (line.startsWith(">")) return quoteBlock(lines, at, inline);
  if (isTable(lines, at)) return tableBlock(lines, at, inline);
  if (LIST_ITEM.test(line)) return listBlock(lines, at, inline);
  return paragraph(lines, at, inline);
}

function codeBlock(lines, at) {
  let end = at + 1;
  while (end < lines.length && !lines[end].startsWith("```")) end += 1;
  return [h("pre", {}, h("code", {}, lines.slice(at + 1, end).join("\n"))), end + 1];
}

function quoteBlock(lines, at, inline) {
  let end = at;
  while (end < lines.length && lines[end].startsWith(">")) end += 1;
  return [h("blockquote", {}, lines.slice(at, end).map((line) => h("p", {}, inline(line.replace(/^>\s?/, ""))))), end];
}

function isTable(lines, at) {
  return lines[at].startsWith("|") && /^\|(\s*:?-+:?\s*\|)+\s*$/.test(lines[at + 1] ?? "");
}

function tableBlock(lines, at, inline) {
  let end = at + 2;
  while (end < lines.length && lines[end].startsWith("|")) end += 1;
  const cells = (line) => line.trim().replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map((cell) => cell.trim().replace(/\\\|/g, "|"));
  const row = (tag) => (line) => h("tr", {}, cells(line).map((cell) => h(tag, {}, cell.split("<br>").map((part, index) => [index ? h("br") : null, inline(part)]))));
  const table = h("table", {}, h("thead", {}, row("th")(lines[at])), h("tbody", {}, lines.slice(at + 2, end).map(row("td"))));
  return [h("div", { class: "wide", tabindex: 0 }, table), end];
}

function listBlock(lines, at, inline) {
  const first = LIST_ITEM.exec(lines[at]);
  const [indent, ordered] = [first[1].length, /\d/.test(first[2])];
  const list = h(ordered ? "ol" : "ul");
  while (at < lines.length) {
    const item = LIST_ITEM.exec(lines[at]);
    if (!item || item[1].length < indent) break;
    if (item[1].length > indent && list.lastElementChild) {
      const [inner, next] = listBlock(lines, at, inline);
      list.lastElementChild.append(inner);
      at = next;
    } else {
      list.append(h("li", {}, inline(item[3])));
      at += 1;
    }
  }
  return [list, at];
}

function paragraph(lines, at, inline) {
  let end = at + 1;
  while (end < lines.length && lines[end].trim() && !/^(#{1,6}\s|```|>|\|)/.test(lines[end]) && !LIST_ITEM.test(lines[end])) end += 1;
  return [h("p", {}, lines.slice(at, end).map((line, index) => [index ? h("br") : null, inline(line)])), end];
}

function inlines(text, pictureOf) {
  const found = [];
  for (let rest = text; rest;) {
    const match = INLINE.exec(rest);
    if (!match) { found.push(unescape(rest)); break; }
    if (match.index) found.push(unescape(rest.slice(0, match.index)));
    found.push(inlineElement(match[0], pictureOf));
    rest = rest.slice(match.index + match[0].length);
  }
  return found;
}

function inlineElement(text, pictureOf) {
  if (text.startsWith("`")) return h("code", {}, text.slice(1, -1));
  if (text.startsWith("**")) return h("strong", {}, inlines(text.slice(2, -2), pictureOf));
  const embed = EMBED.exec(text);
  if (embed) return pictureOf(embed[1], embed[1].split("/").pop()) ?? text;
  const link = /^(!?)\[([^\]]*)\]\((.*)\)$/.exec(text);
  if (link?.[1]) return pictureOf(link[3], link[2]) ?? `[${link[2]}]`;
  if (link) return safeLink(link[3], inlines(link[2] || link[3], pictureOf));
  return h("em", {}, inlines(text.slice(1, -1), pictureOf));
}

function safeLink(address, label) {
  if (!/^https?:\/\//i.test(address)) return h("span", {}, label);
  return h("a", { href: address, rel: "noopener noreferrer nofollow", target: "_blank" }, label);
}

function unescape(text) {
  return text.replace(/\\([\\`*_{}[\]()#+.!|<>~-])/g, "$1");
}
