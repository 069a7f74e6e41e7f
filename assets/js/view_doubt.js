/* FLARE's side of the card and of the query: probabilities under its two thresholds, where RIND has a score. */

function buildMeasure() {
  return h("select", "", {}, ...["rind", "doubt"].map((name) => h("option", "", { value: name }, t(`measure.${name}`))));
}

/** The formula of a token's doubt, and what it comes to. */
function doubtLines(round, index, model) {
  const unit = round.window.units[index];
  const doubt = doubtOf(unit);
  if (doubt === null) return [h("p", "", {}, t("doubt.none"))];
  const { mean } = model.measure;
  const average = mean ? sentenceDoubt(round, index) : null;
  const limits = doubtLimits(model.trace.settings);
  const parts = [sign("1 −"), cell("p", unit.probability.toFixed(3), t("doubt.p")), sign("="), cell("", doubt.toFixed(3), t("doubt.name"))];
  if (!mean) parts.push(...against(doubt, limits.unsure, t("doubt.limit", { threshold: thetaText(1 - limits.unsure) })), outcome(doubt > limits.unsure, "doubt.unsure", "doubt.sure"));
  else if (average !== null) parts.push(h("span", "sign", {}, " · "), cell("", average.toFixed(3), t("doubt.mean")), ...against(average, limits.unsure, t("doubt.mean.limit")), outcome(average > limits.unsure, "doubt.unsure", "doubt.sure"));
  return [h("p", "formula", {}, ...parts), h("p", "", {}, doubtVerdict(doubt, limits, model), " ", t("doubt.beside"))];
}

function against(value, limit, name) {
  return [sign(value > limit ? ">" : "≤"), cell("", thetaText(limit), name)];
}

function outcome(over, yes, no) {
  return h("span", over ? "outcome over" : "outcome", {}, sign("→"), t(over ? yes : no));
}

function doubtVerdict(doubt, limits, model) {
  const key = limits.mean ? "doubt.verdict.mean" : doubt > limits.unsure ? "doubt.verdict.unsure" : "doubt.verdict.sure";
  const left = t(doubt > limits.masked ? "doubt.masked" : "doubt.kept", { mask: thetaText(1 - limits.masked) });
  return [t(key, { threshold: thetaText(1 - limits.unsure), limit: thetaText(limits.unsure) }), left, model.measure.decides ? "" : t("doubt.other")].filter(Boolean).join(" ");
}

/** The sentence that a query of FLARE was made of, with what its mask leaves out struck. */
function maskedSentence(round, group, model) {
  const { sentence } = group.decision;
  if (!sentence) return [];
  const { masked } = doubtLimits(model.trace.settings);
  const token = (unit, k) => {
    const out = doubtOf(unit) > masked;
    const text = k ? unit.text : unit.text.trimStart();
    return h(out ? "s" : "span", out ? "masked" : "", { title: t("doubt.token", { p: NUMBERS.share(unit.probability ?? 0) }) }, text);
  };
  return [h("p", "lab", {}, t("doubt.sentence", { mask: thetaText(1 - masked) })),
    h("p", "doubt-sentence", {}, ...round.window.units.slice(...sentence).map(token))];
}
