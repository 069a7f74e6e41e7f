/* WITH: the passages, their scores, the query words in them and the words the answer took over. */

/** The decision → query → passages that the focus lies in: the chosen group of the round, else its last one with passages. */
function groupOf(model, focus) {
  const round = model.rounds[focus.round];
  if (!round) return null;
  const groups = [...round.before, ...round.groups].filter((group) => group.query || group.passages);
  return groups[focus.group ?? groups.length - 1] || groups.at(-1) || null;
}

function viewPassages(root, model, focus) {
  keepingFocus(root, () => drawPassages(root, model, focus));
}

function drawPassages(root, model, focus) {
  const round = model.rounds[focus.round];
  const group = groupOf(model, focus);
  if (!group?.passages) {
    const quiet = round?.groups.some((g) => !g.decision.retrieve);
    return root.replaceChildren(emptyNote(round?.unchecked ? "passages.unchecked" : quiet ? "passages.quiet" : group?.query ? "passages.next" : "passages.empty"));
  }
  const { items, evidence, reason } = group.passages;
  const nodes = [];
  if (round.status === "changed" || round.status === "later") nodes.push(h("p", "badge wait", {}, t("passages.stale", { theta: thetaText(model.trace.settings.theta), n: model.trace.settings.top_n })));
  const key = reason === "all left out by hand" ? "passages.left" : reason === "empty query" ? "passages.blank" : evidence === "same" && accepted(group, model.switches) ? "passages.again" : `passages.${evidence}`;
  if (evidence !== "new") nodes.push(h("p", "notice-line", {}, t(key)));
  const facts = model.factsAt(group.passagesAt);
  const choice = passageEdits(root, model, round, group);
  root.again = (open) => {
    viewPassages(root, model, focus);
    if (open) [...root.querySelectorAll(".passage-fields textarea")].at(-1)?.focus();
  };
  const redraw = (open) => root.again(open);
  if (group.passages.edited) nodes.push(h("p", "", {}, handBadge(group.passages)));
  if (!choice) items.forEach((item, i) => nodes.push(passageNode(item, i, facts.used?.[i] || [], model.usedWords(group))));
  else {
    choice.items = choice.items.filter((entry) => !entry.gone);
    choice.items.forEach((entry, i) => nodes.push(passageNode(entry.item, i, facts.used?.[i] || [], model.usedWords(group), { entry, redraw })));
    nodes.push(passageActions(choice, model, redraw));
  }
  root.replaceChildren(...nodes);
}

function passageNode(item, i, used, live, change = null) {
  const tools = change && passageTools(change.entry, i, change.redraw);
  if (change?.entry.own) {
    return h("article", change.entry.ticked ? "passage" : "passage left-out", {}, h("h3", "", {}, tools.box, h("span", "number", {}, `${i + 1}`), h("span", "title", {}, t("edit.hand"))), passageFields(change.entry, i, change.redraw));
  }
  const taken = used.filter(([, , key]) => live.has(key)).map(([start, end, key]) => ({ start, end, key, className: "took", title: t("passages.took") }));
  const hits = (item.marks || []).map(([start, end, term]) => ({ start, end, key: term, className: "hit", title: t("passages.hit") }));
  const both = taken.map((span) => (hits.some((hit) => hit.start === span.start) ? { ...span, className: "took hit" } : span));
  const spans = [...both, ...hits.filter((hit) => !taken.some((span) => span.start < hit.end && hit.start < span.end))];
  const title = (item.title_marks || []).map(([start, end, term]) => ({ start, end, key: term, className: "hit" }));
  const byHand = String(item.id).startsWith(BY_HAND);
  const score = byHand ? t("edit.hand") : t("passages.score", { score: item.score.toFixed(2) });
  return h("article", change && !change.entry.ticked ? "passage left-out" : "passage", {},
    h("h3", "", {}, tools ? tools.box : "", h("span", "number", {}, `${i + 1}`), h("span", "title", {}, ...marked(item.title || t("passages.untitled"), item.title ? title : [])),
      h("span", "score", {}, i === 0 && !byHand ? term("bm25", score) : score), tools ? tools.edit : ""),
    h("p", "", {}, ...marked(item.text, spans)),
    h("p", "terms", {}, ...terms(item)));
}

function terms(item) {
  const list = Object.entries(item.terms || {}).sort((a, b) => b[1] - a[1]);
  return list.flatMap(([term, part], i) => [i ? " + " : "", h("span", "term", { "data-word": term }, `${term} `, h("b", "", {}, part.toFixed(1)))]);
}
