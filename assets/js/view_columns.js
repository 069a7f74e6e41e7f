/* Runs side by side, a column each: state, the answer with marks where it looked something up, what it asked and found, what
   it cost. A pure drawing of a list of {title, payload, state}, for whoever has two runs or more to compare. */

const WORD = /[\p{L}\p{N}]+(?:['’.,-][\p{L}\p{N}]+)*/gu;

/**
 * Draw the columns; those that did not change stay as they are, with what is unfolded and focused in them.
 * @param columns [{title, payload, state}]: a payload as visuals/payload.py makes it, null where there is none yet; its
 *   `alone` are the counts on an empty cache. `state` is {name, tokens?, error?}.
 * @param reference the column whose answer the others are measured against
 * @param opens whether a column can be opened in Explore (buttons with data-open)
 */
function viewColumns(root, columns, { reference = 0, opens = false } = {}) {
  const base = wordsOf(columns[reference]?.payload?.trace.answer || "");
  root.drawn ??= [];
  columns.forEach((column, k) => {
    const isBase = k === reference;
    const compared = !isBase && columns[reference]?.state.name === "done" ? base : null;
    const drawn = JSON.stringify([column, k, isBase, compared && [...compared], opens, columns.length > 1]);
    if (root.drawn[k] === drawn) return;
    root.drawn[k] = drawn;
    const node = columnNode(column, k, { compared, isBase, opens, several: columns.length > 1 });
    const old = root.children[k];
    if (!old) return root.append(node);
    keepUnfolded(old, node);
    old.replaceWith(node);
  });
  while (root.children.length > columns.length) root.lastChild.remove();
  root.drawn.length = columns.length;
}

/** What was unfolded and focused in a column is so in the one that takes its place. */
function keepUnfolded(old, node) {
  const open = new Set([...old.querySelectorAll("details[open]")].map((each) => each.dataset.key));
  node.querySelectorAll("details").forEach((each) => { each.open = open.has(each.dataset.key); });
  const name = old.contains(document.activeElement) ? document.activeElement.dataset.focus : null;
  if (name) requestAnimationFrame(() => node.querySelector(`[data-focus="${name}"]`)?.focus({ preventScroll: true }));
}

/** The dials that such a run looks at. */
function dialsLine(settings) {
  const told = [isRind(settings) ? `θ ${thetaText(settings.theta)}` : "", isQfs(settings) ? `n ${settings.top_n}` : ""].filter(Boolean);
  return told.length ? h("p", "soft way-dials", {}, told.join(" · ")) : "";
}

function columnNode({ title, payload, state }, k, { compared, isBase, opens, several }) {
  const asked = payload ? lookups(payload) : [];
  return h("article", `way ${state.name}${isBase && several ? " base" : ""}`, { "aria-label": title, "aria-busy": state.name === "writing" ? "true" : null },
    h("header", "", {}, h("h3", "", {}, title), h("span", `badge state-${state.name}`, {}, stateText(state)), verdict(payload, state)),
    payload ? dialsLine(payload.trace.settings) : "",
    state.error ? h("p", "line error", {}, state.error) : "",
    payload ? answerBlock(payload, asked, compared, k) : h("p", "empty", {}, t(state.error ? "columns.none" : `columns.empty.${state.name}`)),
    payload ? lookupList(asked, k) : "",
    payload ? costTable(payload) : "",
    h("p", "way-actions", {},
      opens ? h("button", "plain", { type: "button", "data-open": k, "data-focus": "open", disabled: !payload, "aria-label": t("columns.open.label", { title }) }, t("columns.open")) : "",
      several ? h("button", "plain", { type: "button", "data-reference": k, "data-focus": "reference", "aria-pressed": String(isBase), "aria-label": t("columns.reference.label", { title }) }, t("columns.reference")) : ""));
}

function stateText({ name, tokens }) {
  return name === "writing" ? t(tokens === 1 ? "columns.state.writing.one" : "columns.state.writing", { count: tokens || 0 }) : t(`columns.state.${name}`);
}

function verdict(payload, state) {
  const right = state.name === "done" ? payload?.facts.right : null;
  return right === true || right === false ? h("span", `badge ${right ? "right" : "wrong"}`, {}, t(right ? "verdict.right" : "verdict.wrong")) : "";
}

/** Every query of a run: {round, query, items, evidence, number (of those that counted), at (where in the answer)}. */
function lookups({ trace, facts }) {
  let number = 0;
  return roundsOf(trace).flatMap((round) => [...round.before, ...round.groups].filter((group) => group.query).map((group) => {
    const counts = accepted(group, facts.switches);
    const at = round.before.includes(group) ? 0 : round.cut ? sizeOf(round.cut.kept_text) : null;
    return { round: round.number, query: group.query.sent || group.query.text, items: group.passages?.items || [],
      evidence: group.passages?.evidence || null, counts, number: counts ? ++number : null, at };
  }));
}

function answerBlock({ trace }, asked, compared, k) {
  const text = trace.answer || "";
  const lead = sizeOf(text) - sizeOf(text.trimStart());
  const shownText = text.trim();
  const marks = asked.filter((each) => each.counts && each.at !== null).map((each) => ({ ...each, at: Math.max(0, each.at - lead) }));
  const others = compared ? spansOf(shownText).filter((span) => !compared.has(span.word)).map((span) => ({ ...span, tag: "span", className: "other" })) : [];
  if (!shownText) return h("p", "empty", {}, t("answer.nothing"));
  const nodes = [];
  let from = 0;
  for (const mark of marks) {
    nodes.push(...pieces(shownText, from, Math.max(from, mark.at), others), ...markNodes(mark, k));
    from = Math.max(from, mark.at);
  }
  return h("p", "answer-text", {}, ...nodes, ...pieces(shownText, from, sizeOf(shownText), others));
}

function pieces(text, from, to, spans) {
  const inside = spans.filter((span) => span.start >= from && span.end <= to);
  return marked(part(text, from, to), inside.map((span) => ({ ...span, start: span.start - from, end: span.end - from })));
}

/** Where it looked something up: a button that leads to the query; its note is shown on hover and focus. */
function markNodes({ number, round, query }, k) {
  const told = t("columns.mark", { number, round, query: query || t("columns.blank") });
  return [h("button", "looked", { type: "button", "data-lookup": `${k}-${number}`, "data-focus": `looked-${number}`, "aria-label": told }, `▲${number}`), h("span", "tip", { "aria-hidden": "true" }, told)];
}

/** Words with their place, in characters as a trace counts them. */
function spansOf(text) {
  return [...text.matchAll(WORD)].map((found) => {
    const start = sizeOf(text.slice(0, found.index));
    return { start, end: start + sizeOf(found[0]), word: found[0].toLowerCase() };
  });
}

function wordsOf(text) {
  return new Set(spansOf(text).map((span) => span.word));
}

function lookupList(asked, k) {
  if (!asked.length) return h("p", "soft", {}, t("columns.never"));
  return h("ol", "lookups", { "aria-label": t("columns.lookups") }, ...asked.map((each, i) => h("li", each.counts ? "" : "over", { id: each.number ? `lookup-${k}-${each.number}` : null, tabindex: -1 },
    h("p", "asked", {}, h("span", "lab", {}, each.number ? t("columns.asked", { number: each.number, round: each.round }) : t("columns.asked.over", { round: each.round })), " ",
      h("b", "", {}, each.query || t("columns.blank")), each.evidence && !each.counts ? h("span", "badge", {}, t(`timeline.${each.evidence}`)) : ""),
    ...(each.counts ? each.items.map((item, j) => h("details", "found", { "data-key": `${i}-${j}` },
      h("summary", "", { "data-focus": `found-${i}-${j}` }, h("span", "number", {}, `${j + 1} `), item.title || t("passages.untitled")), h("p", "", {}, item.text))) : []))));
}

const COSTS = ["retrievals", "decoded_tokens", "forward_passes", "seconds"];

/** What it cost in fact and, where it is told, as if nothing had been known before. */
function costTable({ trace, alone }) {
  const counts = trace.counts || {};
  const number = (name, value) => (value === undefined || value === null ? "–" : name === "seconds" ? value.toFixed(1) : String(value));
  const head = alone ? h("tr", "", {}, h("td"), h("th", "", { scope: "col" }, t("columns.fact")), h("th", "", { scope: "col" }, t("columns.alone"))) : "";
  return h("table", "costs", {}, h("caption", "sr-only", {}, t("columns.costs")), h("tbody", "", {}, head,
    ...COSTS.map((name) => h("tr", "", {}, h("th", "", { scope: "row" }, t(`count.${name}`)), h("td", "", {}, number(name, counts[name])), alone ? h("td", "", {}, number(name, alone[name])) : ""))));
}
