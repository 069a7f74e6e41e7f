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
  const query = queryOf(row.round.window, row.index, model.n);
  if (!query.words.length) return root.replaceChildren(emptyNote("attention.nothing", { token: shown(unit.text) }));
  const top = Math.max(...query.words.map((word) => word.weight), 1e-9);
  const place = (where) => h("div", "row-words", { role: "img", "aria-label": rowLabel(query, where, model) },
    ...query.words.filter((word) => word.where === where).map((word) => wordNode(word, top)));
  const nodes = [h("p", "lab", {}, t("attention.question")), place("question")];
  if (query.words.some((word) => word.where === "answer")) nodes.push(h("p", "lab", {}, t("attention.answer")), place("answer"));
  root.replaceChildren(h("p", "row-name", {}, t(row.fires ? "attention.fires" : "attention.other", { token: shown(unit.text) })), ...nodes);
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
  const round = model.rounds[focus.round];
  const row = rowOf(model, focus);
  const group = groupOf(model, focus);
  if (!row && !group?.query) return root.replaceChildren(emptyNote("query.empty"));
  if (group?.query && !row?.round.window) return root.replaceChildren(...chips(t("query.question"), group.query.text.split(" ")));
  if (!model.dragin && group?.query && !(group.decision.index >= 0)) return root.replaceChildren(...chips(t("query.question"), [group.query.text]));
  const query = queryOf(round.window, row.index, model.n);
  const words = query.text ? query.text.split(" ") : [];
  const firing = row.fires || row.passed;
  const sent = firing && group?.query && group.query.text === query.text;
  const label = t(!firing ? "query.if" : sent ? "query.sent" : "query.new", { token: shown(round.window.units[row.index].text) });
  root.replaceChildren(...(words.length ? chips(label, words) : [h("p", "lab", {}, label), emptyNote("query.blank")]));
}

function chips(label, words) {
  return [h("p", "lab", {}, label), h("p", "chips", { "aria-label": words.join(" ") }, ...words.map((word) => h("span", "chip", { "data-word": word.toLowerCase() }, word)))];
}
