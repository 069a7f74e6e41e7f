/* WHAT: the attention row of the token in focus over the words before it, the n highest marked, and the query they make. */

/** The token whose row is shown: the locked or hovered one, else the round's trigger. */
function rowOf(model, focus) {
  const round = model.rounds[focus.round];
  if (!round?.window || !round.window.units.length) return null;
  const index = focus.unit ?? round.trigger?.index;
  return index === null || index === undefined ? null : { round, index, fires: round.trigger?.index === index, passed: round.passed.includes(index) };
}

function viewAttention(root, model, focus) {
  const row = rowOf(model, focus);
  if (!row) return root.replaceChildren(emptyNote("attention.empty"));
  const unit = row.round.window.units[row.index];
  const known = queryFor(row.round, row.index, model.n, model.trace.settings, model.switches);
  const query = known || { ...queryOf(row.round.window, row.index, 0), unknown: true };
  if (!query.words.length) return root.replaceChildren(emptyNote("attention.nothing", { token: shown(unit.text) }));
  const plain = query.unknown || mirrorsQuery(model.switches); // else its words were weighed by another reading
  const drawn = drawnRow(row.round.window, row.index, model.head, model.sinkless);
  const words = plain ? query.words.map((word) => ({ ...word, weight: drawn.weights[word.index] })) : query.words;
  const top = Math.max(...words.map((word) => word.weight), 1e-9);
  const place = (where, ...more) => h("div", "row-words", { role: "img", "aria-label": rowLabel(query, where, model) },
    ...words.filter((word) => word.where === where).map((word) => wordNode(word, top)), ...more);
  const self = h("span", "self", {}, h("span", "txt", {}, `${row.fires ? "▲ " : ""}${shown(unit.text)}`));
  const answered = words.some((word) => word.where === "answer");
  const map = h("div", model.arcs ? "row-map arcs" : "row-map", {}, h("p", "lab", {}, t("attention.question")), place("question"),
    h("p", "lab", {}, t("attention.answer")), answered ? place("answer", self) : h("div", "row-words", {}, self));
  const name = h("p", "row-name", {}, t(row.fires ? "attention.fires" : "attention.other", { token: shown(unit.text) }), " ", plain ? sinkBadge(drawn, query.words) : "");
  const beyond = ["passage", "demonstration"].flatMap((where) => elsewhere(query, where, top));
  root.replaceChildren(name, rowNote(query, model), map, ...beyond, ...(plain ? rowShares(drawn) : []));
  drawArcs(map);
  root.resized ??= new ResizeObserver(() => { const old = root.querySelector(".row-map"); if (old) drawArcs(old); });
  root.resized.observe(root);
}

/** Words of the prompt beyond question and answer: only those that are kept, they are many. */
function elsewhere(query, where, top) {
  const words = query.words.filter((word) => word.where === where);
  const kept = words.filter((word) => word.kept);
  if (!words.length) return [];
  const rest = h("span", "soft", {}, t("attention.rest", { count: words.length - kept.length }));
  return [h("p", "lab", {}, t(`attention.${where}`)), h("div", "row-words", {}, ...kept.map((word) => wordNode(word, top)), rest)];
}

/** Whose row it is, where it is not the plain row of the token itself. */
function rowNote(query, model) {
  if (query.unknown) return h("p", "soft row-note", {}, t("attention.unknown"));
  const notes = ["query_text", "query_row", "query_hits", "query_unit"].map((name) => `attention.${name}.${model.switches[name]}`).filter(has);
  return notes.length ? h("p", "soft row-note", {}, notes.map((key) => t(key)).join(" ")) : "";
}

function rowLabel(query, where, model) {
  const kept = query.words.filter((word) => word.where === where && word.kept).map((word) => `${word.text} ${word.weight.toFixed(3)}`);
  return t(`attention.label.${where}`, { words: kept.join(", ") || "–", n: model.n });
}

function wordNode(word, top) {
  const share = word.weight / top;
  const title = word.outside ? t("attention.outside") : word.weight.toFixed(4);
  return h("span", `word${word.kept ? " top" : ""}${word.stop ? " stop" : ""}${word.outside ? " outside" : ""}`, { "--share": share.toFixed(4), title,
    "data-word": word.text.toLowerCase() }, word.outside ? "" : h("i", "bar"), h("span", "txt", {}, word.text));
}

function viewQuery(root, model, focus) {
  const group = groupOf(model, focus);
  const row = rowOf(model, focus);
  const own = group?.query && (!row || group.decision.index === null || group.decision.index === row.index);
  keepingFocus(root, () => {
    drawQuery(root, model, focus);
    root.append(own ? queryEdits(root, model, model.rounds[focus.round], group) : "");
  });
}

function drawQuery(root, model, focus) {
  const round = model.rounds[focus.round];
  const row = rowOf(model, focus);
  const group = groupOf(model, focus);
  if (!row && !group?.query) return root.replaceChildren(emptyNote("query.empty"));
  if (group?.query?.edited && !row?.round.window) return root.replaceChildren(...chips(t("query.hand"), [group.query.text]));
  if (group?.query && !row?.round.window) return root.replaceChildren(...chips(t("query.question"), group.query.text.split(" ")));
  if (group?.query && !(group.decision.index >= 0)) return root.replaceChildren(...chips(t("query.question"), [group.query.text]));
  if (!isQfs(model.trace.settings)) return root.replaceChildren(...(group?.query ? [...(asksMasked(model.trace.settings) ? maskedSentence(round, group, model) : []), ...chips(t("query.sent.plain"), [group.query.text])] : [emptyNote("query.empty")]));
  const query = queryFor(round, row.index, model.n, model.trace.settings, model.switches);
  if (!query) return root.replaceChildren(h("p", "lab", {}, t("query.unknown.name")), emptyNote(row.fires || row.passed ? "query.unknown.fires" : "query.unknown"));
  if (group?.query?.edited && group.decision.index === row.index) return root.replaceChildren(...chips(t("query.hand"), [group.query.text]));
  const words = query.text ? query.text.split(" ") : [];
  const firing = row.fires || row.passed;
  const sent = firing && group?.query && group.query.text === query.text;
  const label = t(!firing ? "query.if" : sent ? "query.sent" : "query.new", { token: shown(round.window.units[row.index].text) });
  const mends = sent ? mendList(mendsOf([group.query])) : "";
  if (!words.length) return root.replaceChildren(h("p", "lab", {}, label), emptyNote("query.blank"), mends);
  assemble(root, label, words, query, `${focus.round}|${row.index}|${model.trace.question}`, ...shortened(sent && group.query), mends);
}

/** What the retriever got, where it is not the whole query. */
function shortened(query) {
  if (!query || query.sent === query.text) return [];
  return [h("p", "lab", {}, t("query.limited")), h("p", "sent", {}, query.sent)];
}

/** The chips of a query, each with its rank by weight; where n moved, the new ones appear in the order of their weight. */
function assemble(root, label, words, query, key, ...more) {
  const heaviest = query.words.filter((word) => word.kept).sort((a, b) => b.weight - a.weight || a.index - b.index);
  const ranked = [...new Set(heaviest.map((word) => word.text.toLowerCase()))];
  const rank = (word) => ranked.indexOf(word.toLowerCase());
  const names = words.map((word, i) => `${word}|${words.slice(0, i).filter((other) => other === word).length}`); // a word may come twice
  const before = root.assembled?.key === key ? root.assembled.chips : null;
  const fresh = before ? names.filter((name) => !before.has(name)).sort((a, b) => rank(words[names.indexOf(a)]) - rank(words[names.indexOf(b)])) : [];
  const nodes = chips(label, words);
  const row = nodes[1];
  const made = [...row.children].map((chip, i) => before?.get(names[i]) || chip);
  made.forEach((chip, i) => {
    chip.dataset.rank = rank(words[i]) + 1;
    if (fresh.includes(names[i])) { chip.classList.add("fresh"); chip.style.setProperty("--wait", `${70 * fresh.indexOf(names[i])}ms`); }
  });
  row.replaceChildren(...made);
  root.assembled = { key, chips: new Map(made.map((chip, i) => [names[i], chip])) };
  root.replaceChildren(...nodes, ...more);
}

function chips(label, words) {
  return [h("p", "lab", {}, term("query", label)), h("p", "chips", { "aria-label": words.join(" ") }, ...words.map((word) => h("span", "chip", { "data-word": word.toLowerCase() }, word)))];
}
