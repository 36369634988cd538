// The scripts of a site's pages. They take data from files beside them, put text in as text, and
// need no server.
#pragma once

namespace platter::report::html {

constexpr const char* kSiteStyle = R"(
.search { display: flex; flex-wrap: wrap; gap: 0.7rem 1.2rem; align-items: end; margin: 1.4rem 0 0.6rem; }
.search label { display: block; color: var(--quiet); font-size: 0.82rem; }
.search input, .search select { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--quiet);
  border-radius: 4px; padding: 0.3rem 0.5rem; }
th button { font: inherit; font-weight: 600; color: var(--accent); background: none; border: 0; padding: 0.2rem 0; cursor: pointer;
  text-align: inherit; }
th[aria-sort=ascending] button::after { content: " \2191"; }
th[aria-sort=descending] button::after { content: " \2193"; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
.drives td:nth-child(6) { white-space: nowrap; }
@media (max-width: 40rem) { .drives th:nth-child(2), .drives td:nth-child(2) { display: none; } }
tbody input { width: 1.2rem; height: 1.2rem; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
)";

// Of the first page. Rows: [page, reference, name, gigabytes, rpm, quality, date, latest,
// standing].
constexpr const char* kSiteList = R"("use strict";
const kMost = 200;
const ranks = {good: 0, fair: 1, unchecked: 2, poor: 3};
const body = document.querySelector("tbody"), said = document.getElementById("said");
const words = document.getElementById("words"), quality = document.getElementById("quality");
const all = document.getElementById("all"), beside = document.getElementById("beside");
let rows = null, sortBy = 2, down = false;
const chosen = new Set();
function entriesAre(them) { rows = them; show(); }
function need() {
  if (rows) return show();
  if (document.getElementById("entries")) return;
  const script = document.createElement("script");
  script.id = "entries";
  script.src = "entries.js";
  script.onerror = () => { said.textContent = "entries.js could not be read; it lies beside this page."; };
  document.head.append(script);
}
function cell(text, number) {
  const td = document.createElement("td");
  if (number) td.className = "n";
  td.append(text);
  return td;
}
function size(gigabytes) {
  if (!gigabytes) return "";
  return gigabytes >= 1000 ? (gigabytes / 1000).toFixed(2) + " TB" : gigabytes.toFixed(gigabytes < 100 ? 2 : 0) + " GB";
}
function row(r) {
  const tr = document.createElement("tr"), link = document.createElement("a"), box = document.createElement("input");
  link.href = "models/" + r[0] + ".html";
  link.textContent = r[2];
  box.type = "checkbox";
  box.value = r[0];
  box.checked = chosen.has(r[0]);
  box.setAttribute("aria-label", "compare " + r[1]);
  tr.append(cell(link), cell(r[1]), cell(size(r[3]), true), cell(r[4] ? r[4].toFixed(0) : "", true),
            cell(r[5] + (r[8] ? ", " + r[8] : "")), cell(r[6]), cell(box));
  return tr;
}
function show() {
  const asked = words.value.toLowerCase().split(/\s+/).filter(w => w);
  const found = rows.filter(r => (all.checked || r[7]) && (!quality.value || r[5] === quality.value) &&
      asked.every(w => (r[2] + " " + r[1] + " " + size(r[3]) + " " + r[4] + " " + r[6]).toLowerCase().includes(w)));
  const key = r => sortBy === 5 ? (r[5] in ranks ? ranks[r[5]] : 9) : typeof r[sortBy] === "string" ? r[sortBy].toLowerCase() : r[sortBy];
  found.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0) * (down ? -1 : 1));
  body.replaceChildren(...found.slice(0, kMost).map(row));
  said.textContent = found.length + (found.length === 1 ? " model" : " models") +
      (found.length > kMost ? "; the first " + kMost + " are shown" : "");
}
function choose(box) {
  if (box.checked) chosen.add(box.value); else chosen.delete(box.value);
  const two = [...chosen];
  beside.hidden = two.length !== 2;
  if (two.length === 2) beside.firstElementChild.href = "compare.html#" + two.join(",");
}
words.oninput = quality.onchange = all.onchange = need;
body.addEventListener("change", event => choose(event.target));
for (const button of document.querySelectorAll("th button"))
  button.onclick = () => {
    const by = Number(button.dataset.column);
    down = sortBy === by && !down;
    sortBy = by;
    for (const th of document.querySelectorAll("th[aria-sort]")) th.setAttribute("aria-sort", "none");
    button.parentElement.setAttribute("aria-sort", down ? "descending" : "ascending");
    need();
  };
)";

constexpr const char* kSiteCompare = R"("use strict";
const said = document.getElementById("said"), place = document.getElementById("place");
const figures = {};
const pages = location.hash.slice(1).split(",").filter(page => /^[a-z0-9.-]+$/.test(page)).slice(0, 2);
function figuresAre(page, name, them) {
  figures[page] = {name: name, them: them};
  if (pages.every(each => each in figures)) show();
}
function cell(kind, text) {
  const made = document.createElement(kind);
  made.textContent = text;
  if (kind === "th") made.scope = "col"; else made.className = "n";
  return made;
}
function show() {
  const [a, b] = pages.map(page => figures[page]);
  const table = document.createElement("table"), head = table.createTHead().insertRow(), body = table.createTBody();
  head.append(cell("th", "figure"), cell("th", a.name), cell("th", b.name), cell("th", "difference"));
  a.them.forEach(([name, value], i) => {
    const other = b.them[i][1];
    if (!value && !other) return;
    const apart = value && other ? Number(other) - Number(value) : NaN;
    const line = body.insertRow(), title = cell("td", name);
    title.className = "";
    line.append(title, cell("td", value), cell("td", other), cell("td", isNaN(apart) ? "" : String(Number(apart.toPrecision(4)))));
  });
  place.replaceChildren(table);
  said.textContent = a.name + " beside " + b.name;
  document.title = said.textContent;
}
if (pages.length === 2)
  for (const page of pages) {
    const script = document.createElement("script");
    script.src = "models/" + page + ".js";
    script.onerror = () => { said.textContent = "models/" + page + ".js could not be read."; };
    document.head.append(script);
  }
else
  said.textContent = "Choose two models in the list.";
onhashchange = () => location.reload();
)";

}  // namespace platter::report::html
