/* WHEN: the skyline. A bar over each token, the dashed line θ through all of them, rounds stacked on one scale. */

const JOINS = /^[^\s\u2e80-\u9fff\uac00-\ud7af\u3040-\u30ff\uff00-\uffef]/;
const LONG_GROUP = 22;

/** Draw (or, where only θ, n or the focus moved, repaint) the rounds of a model into root. */
function viewSkyline(root, model, focus) {
  if (root.drawnFor !== model.trace || root.drawnAs !== drawnAs(model)) {
    const active = root.contains(document.activeElement) ? document.activeElement.dataset : null;
    root.replaceChildren(...model.rounds.map((round, r) => roundNode(model, round, r)));
    root.drawnFor = model.trace;
    root.drawnAs = drawnAs(model);
    if (active?.unit) root.querySelector(tokenSelector(active.round, active.unit))?.focus({ preventScroll: true });
  }
  model.rounds.forEach((round, r) => paintRound(root.children[r], model, round, r, focus));
}

function drawnAs(model) {
  return `${model.special}|${model.words}|${model.measure.name}`;
}

function tokenSelector(round, unit) {
  return `[data-round="${Number(round)}"][data-unit="${Number(unit)}"]`;
}

function roundNode(model, round, r) {
  const node = h("div", "round");
  node.append(h("p", "round-head"));
  if (!round.window) return node;
  const sky = h("div", "sky", { role: "group", "aria-label": t("sky.label", { round: round.number }) });
  sky.append(...keptNodes(round.window, model.special), ...tokenNodes(round, r, model));
  sky.append(h("span", "theta-tag", { "aria-hidden": "true" }));
  node.append(sky, mendList(mendsOf(round.groups.map((group) => group.decision))));
  return node;
}

function mendsOf(events) {
  return [...new Set(events.flatMap((event) => event?.mends || []))];
}

/** Where the released code's steps were mended, or a part is missing: told where it happened. */
function mendList(mends) {
  return mends.length ? h("ul", "mends", { "aria-label": t("mends.label") }, ...mends.map((mend) => h("li", "", {}, h("b", "", {}, t("mends.name")), ` ${mend}`))) : "";
}

function keptNodes(window, special) {
  return [...window.kept_text.matchAll(/(\s*)(\S+)/g)].flatMap(({ 1: space, 2: piece, index }) => {
    const at = sizeOf(window.kept_text.slice(0, index + space.length));
    const thought = (window.thinking || []).some(([start, end]) => start <= at && at < end);
    return [...gap(space, special), h("span", thought ? "kept thinking" : "kept", {}, piece)];
  });
}

function gap(space, special) {
  if (!space) return [];
  const visible = special ? space.replaceAll(" ", "·").replaceAll("\t", "→").replaceAll("\n", "↵") : " ";
  const node = h("span", special ? "gap special" : "gap", {}, visible);
  return space.includes("\n") ? [node, h("br")] : [node];
}

function tokenNodes(round, r, model) {
  const nodes = [];
  let group = null;
  for (const part of partsOf(round.window, model.words, model.measure)) {
    const sentence = (round.window.sentences || []).findIndex(([first, end]) => part.first <= first && first <= part.last && end > first);
    if (sentence >= 0) { nodes.push(h("span", "sentence", { "aria-hidden": "true", title: t("sky.sentence", { number: sentence + 1 }) }, `${sentence + 1}`)); group = null; }
    const space = part.text.match(/^\s*/)[0];
    const blank = space.length === part.text.length;
    if (!blank) nodes.push(...gap(space, model.special));
    const glued = !space && !blank && JOINS.test(part.text) && group && group.size + part.text.length <= LONG_GROUP;
    if (!glued) {
      group = h("span", "group");
      group.size = 0;
      nodes.push(group);
    }
    group.size += part.text.length;
    group.append(tokenNode(part, r, blank, space, model.special));
    if (part.text.slice(blank ? 0 : space.length).includes("\n")) { nodes.push(h("br")); group = null; }
    if (blank) group = null;
  }
  if (round.window.partial) nodes.push(h("span", "caret", { "aria-hidden": "true" }, "▍"));
  return nodes;
}

/** What is drawn as one: every unit, or the units of a word together, which stand or fall by their highest value. */
function partsOf(window, words, measure) {
  const height = (i) => measure.value(window.units[i]) ?? -1;
  const parts = [];
  window.units.forEach((unit, i) => {
    const last = parts.at(-1);
    const same = words && last && unit.word && window.units[last.first].word?.[0] === unit.word[0];
    if (!same) return parts.push({ first: i, last: i, unit: i, text: unit.text });
    Object.assign(last, { last: i, text: last.text + unit.text });
    if (height(i) > height(last.unit)) last.unit = i;
  });
  return parts;
}

function tokenNode({ text, first, last, unit }, r, blank, space, special) {
  const written = blank ? blankText(text, special) : text.slice(space.length).replaceAll("\n", "↵");
  return h("button", "tok", { type: "button", tabindex: -1, "data-round": r, "data-unit": unit, "data-first": first, "data-last": last },
    h("i", "bar"), h("b", "mark", { "aria-hidden": "true" }), h("span", blank ? "txt blank" : "txt", {}, written));
}

function blankText(text, special) {
  const lines = text.replaceAll("\n", "↵").replaceAll("\t", "→");
  return special ? lines.replaceAll(" ", "·") || "∅" : lines || " ";
}

function paintRound(node, model, round, r, focus) {
  node.className = `round ${round.status}`;
  drawHead(node.children[0], roundHead(model, round));
  const sky = node.children[1];
  if (!sky) return;
  const { measure } = model;
  const share = measure.limit / measure.scale;
  sky.style.setProperty("--theta", Math.min(1, share).toFixed(4));
  sky.classList.toggle("beyond", share > 1);
  sky.classList.toggle("no-theta", measure.name === "rind" && !measure.decides);
  sky.querySelector(".theta-tag").textContent = `${t(`limit.${measure.name}`, { limit: thetaText(measure.limit) })}${share > 1 ? " ↑" : ""}`;
  const used = model.usedIn(round);
  const cut = round.cutFrom;
  const here = focus.round === r ? focus.unit : 0;
  for (const token of sky.querySelectorAll(".tok")) {
    const [first, last] = [Number(token.dataset.first), Number(token.dataset.last)];
    const states = round.window.units.slice(first, last + 1).map((_, k) => stateOf(round, first + k, cut));
    const state = ORDER.find((each) => states.includes(each));
    paintToken(token, round.window.units[token.dataset.unit], state, model, round);
    const touches = ([start, end]) => start < round.window.units[last].end && end > round.window.units[first].start;
    token.classList.toggle("used", used.some(touches) && state !== "cut" && state !== "flagged");
    const chosen = focus.round === r && focus.unit >= first && focus.unit <= last;
    token.classList.toggle("chosen", chosen);
    token.classList.toggle("locked", chosen && focus.locked);
    token.setAttribute("aria-pressed", chosen && focus.locked);
    token.tabIndex = here >= first && here <= last ? 0 : -1;
  }
}

const ORDER = ["fires", "flagged", "passed", "cut", "calm", "undefined", "pending"]; // what a word is, where its pieces differ

/** What a unit is at the values set now: "fires", "flagged" beside it, "passed", "cut", "pending", "undefined" or "calm". */
function stateOf(round, i, cut) {
  const unit = round.window.units[i];
  if (round.trigger?.index === i) return "fires";
  if (round.flagged.includes(i)) return "flagged";
  if (round.passed.includes(i)) return "passed";
  if (unit.start >= cut || unit.end > cut) return "cut";
  return unit.pending ? "pending" : unit.rind === null ? "undefined" : "calm";
}

const MARKS = { fires: "▲", flagged: "▴", passed: "△", undefined: "?" };

function paintToken(node, unit, state, model, round) {
  const { measure } = model;
  const rind = measure.name === "rind";
  if (!rind && (state === "pending" || state === "undefined")) state = "calm";
  const value = measure.value(unit) || 0;
  const pending = rind && unit.pending;
  const over = !pending && value > measure.limit && (measure.decides ? !round.unchecked : !rind);
  const share = Math.min(1, value / measure.scale);
  const clipped = value > measure.scale;
  const key = `${state}|${share.toFixed(4)}|${clipped}|${pending}|${over}`;
  if (node.painted === key) return;
  node.painted = key;
  const thinking = unit.reason === "thinking";
  node.className = `tok ${state}${pending ? " pending" : ""}${over ? " over" : ""}${clipped ? " clipped" : ""}${thinking ? " thinking" : ""}`;
  node.style.setProperty("--share", share.toFixed(4));
  node.children[1].textContent = MARKS[state] || "";
  const score = thinking ? t("token.thinking") : !rind ? t("token.doubt", { doubt: NUMBERS.share(value) }) : unit.pending ? t("token.pending") : unit.rind === null ? t("token.undefined") : t("token.score", { score: NUMBERS.score(unit.rind) });
  node.setAttribute("aria-label", `${shown(unit.text)}, ${score}${["calm", "pending", "undefined"].includes(state) ? "" : `, ${t(`token.${state}`)}`}`);
}

/** A head that says what it said stays: a node that has the focus is not taken away at each repaint. */
function drawHead(node, parts) {
  const said = parts.map((part) => part.outerHTML).join("");
  if (node.said === said) return;
  node.said = said;
  node.replaceChildren(...parts);
}

function roundHead(model, round) {
  const name = t("round.name", { round: round.number });
  const parts = [h("b", "", {}, round.number === 1 ? term("round", name) : name), h("span", "", {}, roundSource(round))];
  const trigger = round.trigger && round.window?.units[round.trigger.index];
  if (trigger) {
    const key = !model.dragin ? "round.place" : round.status === "changed" ? "round.would" : "round.fires";
    parts.push(h("span", "fires", {}, t(key, { token: shown(trigger.text), score: NUMBERS.score(round.trigger.score) })));
  }
  if (round.flagged.length) parts.push(h("span", "fires", {}, t("round.flagged", { tokens: round.flagged.map((i) => shown(round.window.units[i].text)).join(", ") })));
  if (round.status === "later") parts.push(h("span", "badge wait", {}, t("round.later")));
  if (round.status === "changed") parts.push(h("span", "badge wait", {}, t(`round.changed.${round.why}`)));
  const passed = round.passed.length - round.ignored.length;
  if (passed) parts.push(h("span", "", {}, t("round.passed", { count: passed })));
  if (round.ignored.length) parts.push(h("span", "", {}, t("round.ignored", { count: round.ignored.length })));
  parts.push(handBadge(round.window?.edited ? round.window : round.groups.map((group) => group.decision).find((decision) => decision.edited && decision.retrieve)));
  if (round.window?.partial) parts.push(h("span", "badge wait", {}, t(model.live || model.replay ? "round.writing" : "round.partial")));
  if (round.capped) parts.push(h("span", "badge", {}, t("round.capped", { count: model.trace.settings.max_retrievals })));
  const quiet = round.groups.at(-1)?.decision;
  if (quiet && !quiet.retrieve && round.status === "followed" && has(`decision.${quiet.reason}`)) parts.push(h("span", round.unchecked ? "badge" : "", {}, t(`decision.${quiet.reason}`)));
  const verdict = round.window?.partial ? null : model.factsAt(round.at).right;
  if (verdict === true || verdict === false) parts.push(verdictBadge(verdict));
  return parts;
}

function roundSource(round) {
  if (!round.window) return t("round.before");
  const passages = round.window.prompt.sections.filter((section) => section.kind === "passage").length;
  if (!passages) return t("round.memory");
  return t(passages === 1 ? "round.passage" : "round.passages", { count: passages });
}

function verdictBadge(right) {
  return h("span", right ? "badge right" : "badge wrong", {}, t(right ? "verdict.right" : "verdict.wrong"));
}

const LEGEND = { theta: "theta", fires: "trigger", flagged: "trigger", passed: "evidence", cut: "cut", pending: "pending", used: "passage" };

/** The legend: the common scale with θ on it, and every mark of the skyline. */
function viewLegend(root, model) {
  const { measure } = model;
  const at = Math.min(100, (100 * measure.limit) / measure.scale);
  const torn = model.rounds.some((round) => round.window?.units.some((unit) => measure.value(unit) > measure.scale));
  const ramp = h("span", "ramp", { "--at": `${at}%` }, h("i", "", {}, ""));
  root.replaceChildren(
    h("span", "scale", {}, h("span", "", {}, "0"), ramp, h("span", "", {}, t("legend.top", { scale: measure.scale }))),
    ...legendKeys(model, torn).map((key) => {
      const name = t(`legend.${key}`, { limit: thetaText(measure.limit) });
      return h("span", `key ${key}`, {}, h("i", "", { "aria-hidden": "true" }, t(`legend.${key}.sign`)), LEGEND[key] ? term(LEGEND[key], name) : name);
    }),
  );
}

function legendKeys({ measure, dragin, rounds }, torn) {
  const rind = measure.name === "rind";
  const shown = { theta: rind && measure.decides, doubt: !rind && !measure.mean, mean: !rind && measure.mean, fires: dragin, place: !dragin,
    flagged: rounds.some((round) => round.flagged.length), passed: true, cut: true, pending: rind, torn, used: true };
  return Object.keys(shown).filter((key) => shown[key]);
}
