/* What the bars measure: RIND, or FLARE's doubt about a token, 1 − p. Both triggers can be held against the same text. */

/** How sure the model was not to be of a token: 1 − p; null where the trace has no probability. */
function doubtOf(unit) {
  return Number.isFinite(unit.probability) ? 1 - unit.probability : null;
}

/** FLARE's two limits as doubts: above `unsure` a token asks for a retrieval, above `masked` it is left out of the query.
    By the released rule the first is held against the mean over the sentence (`mean`). */
function doubtLimits({ flare_rule: rule = "paper", flare_threshold: threshold = 0.8, flare_mask: mask = 0.4, flare_doubt: doubt = 0.08 } = {}) {
  return rule === "released" ? { unsure: doubt, masked: doubt, mean: true } : { unsure: 1 - threshold, masked: 1 - mask, mean: false };
}

/**
 * The measure of a skyline.
 * @param name "rind", "doubt", or null: the run's own
 * @returns {{name, value(unit), limit, scale, decides}} `decides`: this run retrieves by it
 */
function measureOf(name, { settings = {}, theta, scale }) {
  const timing = timingOf(settings);
  if ((name || (timing === "flare" ? "doubt" : "rind")) === "rind") {
    return { name: "rind", value: (unit) => unit.rind, limit: theta, scale, decides: timing === "rind" };
  }
  const { unsure, masked, mean } = doubtLimits(settings);
  return { name: "doubt", value: doubtOf, limit: unsure, masked, mean, scale: 1, decides: timing === "flare" };
}

/** The mean doubt over the tokens of the sentence that a unit was decided with; null where no sentence was. */
function sentenceDoubt(round, index) {
  const sentence = round.groups.map((group) => group.decision.sentence).find((span) => span && span[0] <= index && index < span[1]);
  const doubts = sentence ? round.window.units.slice(...sentence).map(doubtOf).filter((doubt) => doubt !== null) : [];
  return doubts.length ? doubts.reduce((sum, doubt) => sum + doubt, 0) / doubts.length : null;
}
