/* What the plot of the signals shows, as a sentence: beside the plot, and alone where there is none. */

function signalsSummary(model, round) {
  const { units } = round.window;
  const content = units.filter((unit) => unit.semantic && unit.rind !== null);
  const best = content.reduce((top, unit) => (!top || unit.rind > top.rind ? unit : top), null);
  const values = { round: round.number, tokens: units.length, content: content.length, theta: thetaText(model.theta),
    over: content.filter((unit) => unit.rind > model.theta).length, best: best ? shown(best.text) : "–", score: best ? NUMBERS.score(best.rind) : "–" };
  return t(model.dragin ? "signals.summary" : "signals.summary.other", values);
}
