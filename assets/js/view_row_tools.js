/* How the attention row is drawn: which head, bars or arcs, with or without its sink. None of it changes the query. */

function buildRowTools() {
  const box = (name) => h("input", "", { type: "checkbox", "data-tool": name });
  const view = { head: h("select", "", { "data-tool": "head" }), arcs: box("arcs"), sinkless: box("sinkless"), note: h("p", "soft tool-note", { role: "status" }) };
  view.nodes = [h("div", "tools row-tools", {},
    h("span", "toggle", {}, h("label", "toggle", {}, t("row.head"), view.head), whatIs("head")),
    h("label", "toggle", {}, view.arcs, t("row.arcs")),
    h("label", "toggle", {}, view.sinkless, t("row.sinkless"))), view.note];
  return view;
}

/** The choice is told to `set` as {head, arcs, sinkless}. */
function listenRowTools(view, set) {
  const tell = () => set({ head: view.head.value === "" ? null : Number(view.head.value), arcs: view.arcs.checked, sinkless: view.sinkless.checked });
  for (const node of [view.head, view.arcs, view.sinkless]) node.addEventListener("change", tell);
}

function viewRowTools(view, model, focus) {
  const heads = model.rounds[focus.round]?.window?.rows.heads;
  const count = Math.max(heads?.count || 0, model.trace.environment?.heads || 0);
  if (view.head.options.length !== count + 1) {
    view.head.replaceChildren(h("option", "", { value: "" }, t("row.mean")), ...Array.from({ length: count }, (_, i) => h("option", "", { value: i }, t("row.one", { head: i + 1, count }))));
    view.head.value = model.head === null || model.head >= count ? "" : String(model.head);
  }
  const missing = model.head !== null && !heads?.data;
  const notes = [missing ? t(heads ? "row.large" : "row.later") : model.head !== null ? t("row.query") : "", model.sinkless ? t("row.sinkless.query") : ""];
  view.note.textContent = notes.filter(Boolean).join(" ");
}

/** Where the whole row goes, as one line: a bar of its parts and their shares. */
function rowShares(drawn) {
  if (!drawn.parts.length) return [];
  const name = (part) => t(`row.part.${part.kind}`, { share: NUMBERS.share(part.share) });
  return [h("div", "share-bar", { "aria-hidden": "true" }, ...drawn.parts.map((part) => h("i", part.kind, { "--p": part.share.toFixed(4), title: name(part) }))),
    h("p", "soft shares", {}, ...drawn.parts.map((part) => h("span", `part ${part.kind}`, {}, name(part))))];
}

function sinkBadge(drawn, words) {
  if (!drawn.sink) return "";
  const { kind, share } = drawn.sink;
  return term("sink", t(`row.sink.${kind}`, { share: NUMBERS.share(share), word: words[0] ? words[0].text : "" }), "badge sink");
}

/** Arcs from the unit in focus back to each word: the wider and darker, the more attention; those of the query in blue. */
function drawArcs(map) {
  map.querySelector("svg")?.remove();
  const self = map.querySelector(".self");
  if (!self || !map.classList.contains("arcs")) return;
  const box = map.getBoundingClientRect();
  const topOf = (node) => { const r = node.getBoundingClientRect(); return [r.left + r.width / 2 - box.left, r.top - box.top]; };
  const end = topOf(self.querySelector(".txt"));
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", "arc-map");
  svg.setAttribute("aria-hidden", "true");
  const words = [...map.querySelectorAll(".word")].sort((a, b) => a.classList.contains("top") - b.classList.contains("top"));
  svg.append(...words.map((word) => arc(topOf(word.querySelector(".txt")), end, word)));
  map.prepend(svg);
}

function arc([x, y], [endX, endY], word) {
  const share = Math.sqrt(Number(word.style.getPropertyValue("--share"))); // a linear scale would leave one arc alone
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  const rise = Math.abs(y - endY) < 4 ? Math.min(36, 8 + 0.12 * Math.abs(endX - x)) : 34;
  path.setAttribute("d", `M${endX} ${endY}C${endX} ${endY - rise} ${x} ${y - rise} ${x} ${y}`);
  path.setAttribute("class", word.classList.contains("top") ? "top" : "");
  path.style.strokeWidth = `${(0.75 + 4.25 * share).toFixed(2)}px`;
  path.style.opacity = (0.2 + 0.8 * share).toFixed(3);
  if (word.dataset.word) path.dataset.word = word.dataset.word;
  return path;
}
