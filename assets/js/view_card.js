/* The card: the score of one token with live numbers, what each factor is made of, what it would take. */

function viewCard(root, model, focus) {
  const round = model.rounds[focus.round];
  const unit = round?.window?.units[focus.unit];
  if (!unit) return root.replaceChildren(emptyNote("card.empty"));
  const state = stateOf(round, focus.unit, cutAt(round.window, round.trigger));
  root.replaceChildren(
    h("p", "card-head", {}, h("b", "token-name", {}, `“${shown(unit.text)}”`), wordNote(round, unit),
      focus.locked ? h("span", "badge", {}, t("card.locked")) : ""),
    formula(unit, model, state),
    ...(unit.pending ? [h("p", "", {}, t("card.pending"))] : [verdictLine(unit, state, round, model), momentLine(round, unit, focus, model)]),
    ...factors(round, unit, model),
  );
}

function wordNote(round, unit) {
  if (!unit.word) return "";
  const word = (round.window.kept_text + round.window.text).slice(...unit.word);
  return word === unit.text.trim() ? "" : h("span", "soft", {}, t("card.piece", { word }));
}

function cell(symbol, value, name) {
  return h("span", "cell", { title: name }, h("span", "symbol", {}, symbol), " ", h("b", "", {}, value), h("small", "", {}, name));
}

function sign(text) {
  return h("span", "sign", {}, ` ${text} `);
}

function formula(unit, model, state) {
  const parts = [cell("H", NUMBERS.entropy(unit.entropy), t("card.entropy")), sign("×"),
    cell("a_max", NUMBERS.score(unit.max_attention), t("card.attention")), sign("×"), cell("s", String(unit.semantic), t("card.semantic"))];
  if (unit.pending) return h("p", "formula", {}, ...parts, sign("="), cell("", t("card.waiting"), t("card.score")));
  const over = unit.rind > model.theta;
  parts.push(sign("="), cell("", NUMBERS.score(unit.rind), t("card.score")));
  if (model.dragin) {
    parts.push(sign(over ? ">" : "≤"), cell("θ", thetaText(model.theta), t("card.theta")), sign("→"),
      h("span", over ? "outcome over" : "outcome", {}, t(state === "passed" ? "card.pass" : over ? "card.retrieve" : "card.quiet")));
  }
  return h("p", "formula", {}, ...parts);
}

const WHY_NOT = { "stop word": "stop", thinking: "thinking" };

function verdictLine(unit, state, round, model) {
  if (!unit.semantic) return h("p", "", {}, t(`card.never.${WHY_NOT[unit.reason] || "none"}`));
  if (!model.dragin) return h("p", "", {}, t("card.ignored"));
  const over = unit.rind > model.theta;
  const key = state === "passed" ? "card.passed" : state === "fires" ? "card.fires" : !over ? "card.below" : round.groups.length ? "card.too" : "card.next";
  const values = {
    score: NUMBERS.score(unit.rind),
    entropy: NUMBERS.entropy(model.theta / Math.max(unit.max_attention, 1e-9)),
    attention: NUMBERS.score(model.theta / Math.max(unit.entropy, 1e-9)),
  };
  const what = over ? t("card.would.quiet", values) : unit.rind > 0 ? t("card.would.fire", values) : "";
  return h("p", "", {}, `${t(key)} `, what);
}

function momentLine(round, unit, focus, model) {
  const trigger = round.trigger;
  if (!model.dragin || !trigger || trigger.index !== focus.unit) return "";
  const later = round.window.units[trigger.moment];
  const text = t("card.moment", { token: later ? shown(later.text) : "…", score: NUMBERS.score(trigger.score), theta: thetaText(model.theta) });
  return h("p", "moment", {}, text);
}

function factors(round, unit, model) {
  const later = round.window.units[unit.from];
  const why = `card.s.${unit.reason === "content" ? "content" : WHY_NOT[unit.reason] || "none"}`;
  const word = unit.word ? (round.window.kept_text + round.window.text).slice(...unit.word) : "";
  return [
    h("dl", "factors", {},
      h("dt", "", {}, t("card.h.title")), h("dd", "", {}, alternatives(unit)),
      h("dt", "", {}, t("card.a.title")),
      h("dd", "", {}, later && !unit.pending ? t("card.a.from", { token: shown(later.text), share: NUMBERS.share(unit.from_attention), most: NUMBERS.score(unit.max_attention) }) : t("card.a.none")),
      h("dt", "", {}, t("card.s.title")), h("dd", "", {}, t(why, { word }))),
  ];
}

function alternatives(unit) {
  const list = h("span", "bars");
  for (const [text, p] of unit.top || []) {
    list.append(h("span", text === unit.text ? "alt own" : "alt", { "--p": `${(100 * p).toFixed(1)}%` }, `${shown(text)} `, h("b", "", {}, NUMBERS.share(p))));
  }
  return list;
}
