/* The answer with retrieval beside the answer without, right or wrong, why it stopped, what it cost. */

function viewAnswers(root, model) {
  const { trace } = model;
  const { facts } = model.payload;
  const rounds = model.rounds.filter((round) => round.window);
  if (!rounds.length) return root.replaceChildren(emptyNote("answer.empty"));
  const finished = model.rounds.some((round) => round.finished);
  const without = trace.answer_without_retrieval;
  root.replaceChildren(
    h("div", "answers", {},
      answer("without", without, without !== null ? "answer.nothing" : model.live || model.replay ? "answer.running" : "answer.unknown", without === null ? null : facts.right_without),
      answer(methodName(trace) === "DRAGIN" ? "with" : "method", trace.answer, "answer.nothing", finished ? facts.right : null, { method: methodName(trace) })),
    goldLine(model), reasonLine(model, finished), counts(trace.counts || {}));
}

function methodName(trace) {
  const { method = "dragin", when, what } = trace.settings || {};
  if (when || what) return [when, what].filter(Boolean).join(" × ");
  return { dragin: "DRAGIN", flare: "FLARE" }[method] || method.replace("rag", "RAG").replace(/^([a-z]{2})(?=-)/, (name) => (name === "wo" ? name : name.toUpperCase()));
}

function answer(key, text, missing, right, values = {}) {
  return h("div", `side ${key}`, {},
    h("p", "lab", {}, t(`answer.${key}`, values), right === true || right === false ? verdictBadge(right) : ""),
    text ? h("p", "answer-text", {}, text.trim()) : emptyNote(missing));
}

function goldLine(model) {
  const { gold, right, right_without: without } = model.payload.facts;
  if (!gold?.length) return "";
  if (model.replay) return h("p", "gold", {}, t("answer.gold", { gold: gold.join(" · ") }));
  const both = right === null || without === null || right === undefined || without === undefined;
  const key = both ? "" : right && !without ? "mended" : !right && without ? "spoilt" : right ? "both" : "neither";
  return h("p", `gold ${key}`, {}, t("answer.gold", { gold: gold.join(" · ") }), key ? ` ${t(`answer.${key}`)}` : "");
}

function reasonLine(model, finished) {
  if (!finished) return h("p", "reason", {}, t(model.live ? "answer.running" : model.replay ? "answer.replay" : "answer.paused"));
  const { reason } = model.rounds.find((round) => round.finished).finished;
  const settings = model.trace.settings || {};
  const known = knownReason(reason);
  const nodes = [h("span", "", {}, t("answer.stopped"), " ", known === "other" ? reason : t(`reason.${known}`, { budget: settings.max_new_tokens }))];
  if ((model.trace.counts?.retrievals ?? 0) >= settings.max_retrievals && settings.max_retrievals > 0) {
    nodes.push(" ", h("span", "badge", {}, t("answer.capped", { count: settings.max_retrievals })));
  }
  return h("p", "reason", {}, ...nodes);
}

const COUNTED = { retrievals: "evidence", decoded_tokens: "token", forward_passes: "forward-pass", cached_windows: "cache" };

function countName(name, label) {
  return COUNTED[name] ? term(COUNTED[name], label) : label;
}

function counts(values) {
  const entries = ["retrievals", "decoded_tokens", "forward_passes", "cached_windows", "seconds"].filter((name) => values[name] !== undefined && values[name] !== null);
  return h("dl", "counts", {}, ...entries.flatMap((name) => [h("dd", "", {}, name === "seconds" ? values[name].toFixed(1) : String(values[name])),
    h("dt", "", {}, countName(name, t(values[name] === 1 ? `count.${name}.one` : `count.${name}`)))]));
}
