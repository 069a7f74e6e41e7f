/* The card: the score of one token with live numbers, what each factor is made of, what it would take. */

function viewCard(root, model, focus) {
  const round = model.rounds[focus.round];
  const unit = round?.window?.units[focus.unit];
  if (!unit) return root.replaceChildren(emptyNote("card.empty"));
  const state = stateOf(round, focus.unit, round.cutFrom);
  root.replaceChildren(
    h("p", "card-head", {}, h("b", "token-name", {}, `“${shown(unit.text)}”`), wordNote(round, unit),
      focus.locked ? h("span", "badge", {}, t("card.locked")) : "", handBadge(handOf(round, focus.unit))),
    ...(model.measure.name === "doubt" ? doubtLines(round, focus.unit, model) : []),
    formula(unit, { ...model, byHand: Boolean(handOf(round, focus.unit)) }, state),
    ...(unit.pending ? [h("p", "", {}, t(round.window.partial && model.switches.attention_over === "answer_alone" ? "card.pending.alone" : "card.pending"))] : [verdictLine(unit, state, round, model), momentLine(round, unit, focus, model)]),
    ...factors(round, unit, model), cardEdits(model, round, focus, state),
  );
}

/** The decision by hand about a unit. */
function handOf(round, unit) {
  return round.groups.map((group) => group.decision).find((decision) => decision.edited && decision.index === unit);
}

function wordNote(round, unit) {
  if (!unit.word) return "";
  const word = part(round.window.kept_text + round.window.text, ...unit.word);
  return word === unit.text.trim() || unit.text.includes(word) ? "" : h("span", "soft", {}, t("card.piece", { word }));
}

function cell(symbol, value, name, key) {
  return h("span", "cell", { title: name }, h("span", "symbol", {}, symbol), " ", h("b", "", {}, value), h("small", "", {}, key ? term(key, name) : name));
}

function sign(text) {
  return h("span", "sign", {}, ` ${text} `);
}

function formula(unit, model, state) {
  const parts = [cell("H", NUMBERS.entropy(unit.entropy), t("card.entropy"), "entropy"), sign("×"),
    cell("a_max", NUMBERS.score(unit.max_attention), t("card.attention"), "a_max"), sign("×"), ...scaleCell(unit), cell("s", String(unit.semantic), t("card.semantic"), "stop-word")];
  if (unit.pending) return h("p", "formula", {}, ...parts, sign("="), cell("", t("card.waiting"), t("card.score"), "pending"));
  if (unit.rind === null) return h("p", "formula", {}, ...parts, sign("="), cell("", t("card.undefined"), t("card.score")));
  const over = unit.rind > model.theta;
  parts.push(sign("="), cell("", NUMBERS.score(unit.rind), t(state === "fires" && model.switches.decide !== "window" ? "card.score.end" : "card.score"), "rind"));
  if (model.dragin) {
    const byHand = state === "fires" && model.byHand;
    parts.push(sign(over ? ">" : "≤"), cell("θ", thetaText(model.theta), t("card.theta"), "theta"),
      h("span", over || byHand ? "outcome over" : "outcome", {}, "→ ", t(byHand ? "card.retrieve.hand" : state === "passed" ? "card.pass" : over && !["fires", "flagged"].includes(state) && model.switches.decide === "window" ? "card.other" : over ? "card.retrieve" : "card.quiet")));
  }
  return h("p", "formula", {}, ...parts);
}

/** What attention is multiplied by where it is relative to its sentence. */
function scaleCell(unit) {
  if (unit.scale === undefined || unit.scale === 1) return [];
  return [cell("", unit.scale === null ? "–" : unit.scale.toFixed(2), t("card.scale")), sign("×")];
}

const NEVER = { "stop word": "stop", "no content tag": "tag", thinking: "thinking" };

function verdictLine(unit, state, round, model) {
  const byHand = handOf(round, round.window.units.indexOf(unit));
  if (byHand) return h("p", "", {}, t(byHand.retrieve ? "card.hand" : "card.ignored.hand"));
  if (!unit.semantic) return h("p", "", {}, t(`card.never.${NEVER[unit.reason] || "none"}`));
  if (!model.dragin) return h("p", "", {}, t("card.ignored"));
  if (unit.rind === null) return h("p", "", {}, t("card.undefined.why"));
  if (round.unchecked) return h("p", "", {}, t("card.unchecked"));
  const over = unit.rind > model.theta;
  const second = model.switches.decide === "window" ? (round.trigger ? "card.too.sentence" : round.groups.length ? "card.too.capped" : "card.next") : round.groups.length ? "card.too" : "card.next";
  const key = state === "passed" ? "card.passed" : state === "fires" ? "card.fires" : state === "flagged" ? "card.flagged" : !over ? "card.below" : second;
  const values = {
    score: NUMBERS.score(unit.rind),
    entropy: NUMBERS.entropy(model.theta / Math.max(unit.max_attention * (unit.scale ?? 1), 1e-9)),
    attention: NUMBERS.score(model.theta / Math.max(unit.entropy * (unit.scale ?? 1), 1e-9)),
  };
  const what = over ? t("card.would.quiet", values) : unit.rind > 0 ? t("card.would.fire", values) : "";
  return h("p", "", {}, `${t(key)} `, what);
}

function momentLine(round, unit, focus, model) {
  const trigger = round.trigger;
  if (!model.dragin || !trigger || trigger.index !== focus.unit) return "";
  if (handOf(round, focus.unit)) return "";
  if (trigger.sentence) return h("p", "moment", {}, t("card.window", { number: sentenceAt(round.window, trigger.index) + 1 }));
  const later = round.window.units[trigger.moment];
  const text = t("card.moment", { token: later ? shown(later.text) : "…", score: NUMBERS.score(trigger.score), theta: thetaText(model.theta) });
  return h("p", "moment", {}, text, " ", whatIs("moment"));
}

function factors(round, unit, model) {
  const later = round.window.units[unit.from];
  const counts = model.switches.semantic === "pos" ? "tagged" : "content";
  const why = `card.s.${unit.reason === "content" ? counts : NEVER[unit.reason] || "none"}`;
  const word = unit.word ? part(round.window.kept_text + round.window.text, ...unit.word) : "";
  return [
    h("dl", "factors", {},
      h("dt", "", {}, term("greedy", t("card.h.title"))), h("dd", "", {}, alternatives(unit)),
      h("dt", "", {}, term("attention", t("card.a.title"))),
      h("dd", "", {}, later && !unit.pending ? attentionText(unit, later, unit.from - round.window.units.indexOf(unit), model) : t("card.a.none")),
      h("dt", "", {}, term("stop-word", t("card.s.title"))), h("dd", "", {}, t(why, { word: word || shown(unit.text) }))),
  ];
}

/** @param after how many tokens behind the unit the one stands that looks back at it most */
function attentionText(unit, later, after, model) {
  const words = model.switches.unit === "word";
  const values = { token: shown(later.text), place: after === 1 ? t("card.a.next") : t("card.a.after", { count: after }), share: NUMBERS.share(unit.from_attention ?? 0), value: NUMBERS.score(unit.from_attention), most: NUMBERS.score(unit.max_attention) };
  const first = t(`card.a.${later === unit ? "self" : "from"}${words ? ".sum" : ""}`, values);
  const notes = [model.switches.attention_over === "answer_alone" ? t("card.a.alone") : "", unit.scale !== undefined ? t("card.a.scaled") : ""];
  return [first, ...notes].filter(Boolean).join(" ");
}

function alternatives(unit) {
  const list = h("span", "bars");
  const pieces = unit.token_ids?.length ?? 1;
  if (pieces > 1) list.append(h("span", "soft", {}, t("card.h.pieces", { count: pieces })));
  for (const [text, p] of unit.top || []) {
    const own = text === unit.text || (pieces > 1 && text === unit.top[0][0] && unit.text.startsWith(text));
    list.append(h("span", own ? "alt own" : "alt", { "--p": `${(100 * p).toFixed(1)}%` }, `${shown(text)} `, h("b", "", {}, NUMBERS.share(p))));
  }
  return list;
}
