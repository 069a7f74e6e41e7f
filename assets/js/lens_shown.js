/* The lens's first run, from what is shown: it is known before the model has read a word. Mirrors dragin_core/lens.py. */

const MOST_N = 50;

/** The first place from which on something holds, which it does up to the end; `end` if nowhere. */
function partition(first, end, holds) {
  while (first < end) {
    const middle = (first + end) >> 1;
    if (holds(middle)) end = middle; else first = middle + 1;
  }
  return first;
}

/** The scores that θ can pass in a trace, in order: at every moment, or over whole windows. */
function thresholdsOf(trace, switches) {
  const windows = trace.events.filter((event) => event.type === "window");
  const whole = switches.decide === "window";
  const scores = windows.flatMap(({ units }) => units.flatMap((unit) => (whole ? [unit.rind] : (unit.max_attention_at || []).map(([moment]) => scoreAt(unit, moment)))));
  return [...new Set(scores.filter((score) => score > 0))].sort((a, b) => a - b);
}

/**
 * Where a finished run holds: for θ from `low` up to but not including `high` (null: no end), for n both inclusive.
 * @returns {{low, high} | null} null: it is no whole run by RIND, was changed by hand, or only the engine can tell
 */
function reachOf(trace, over, switches) {
  const { theta, top_n: n } = trace.settings;
  if (trace.events.at(-1)?.type !== "finished" || trace.edits?.length || !isRind(trace.settings)) return null;
  const free = uncapped(trace);
  let guessed = false;
  const same = (values) => {
    const rounds = previewOf(free, values.theta ?? theta, values.n ?? n, switches);
    guessed = guessed || (over !== "theta" && rounds.some((round) => round.why === "unknown")); // at another θ it means: not the same flags
    return rounds.every((round) => round.status === "followed" && sameFlags(round, values.theta ?? theta));
  };
  const found = over === "theta" ? reachOfTheta(thresholdsOf(trace, switches), theta, same) : reachOfN(n, same);
  return guessed ? null : found;
}

/** Whether the units flagged beside a round's triggers are at a threshold the ones that they were. */
function sameFlags({ window, groups }, theta) {
  return groups.every(({ decision }) => !decision.sentence || String(flagsIn(window, decision.sentence, theta)) === String(decision.flags));
}

/** The trace as if nothing had bounded its retrievals: a trigger that came too late is one, and must be the same one. */
function uncapped(trace) {
  const events = trace.events.map((event) => (event.reason === "max retrievals" ? { ...event, retrieve: true } : event));
  return { ...trace, events, settings: { ...trace.settings, max_retrievals: Infinity } };
}

function reachOfTheta(scores, theta, same) {
  const at = (step) => same({ theta: step ? scores[step - 1] : 0 });
  const here = partition(0, scores.length, (k) => scores[k] > theta);
  const first = partition(0, here, at);
  const last = partition(here + 1, scores.length + 1, (step) => !at(step)) - 1;
  return { low: first ? scores[first - 1] : 0, high: last < scores.length ? scores[last] : null };
}

function reachOfN(n, same) {
  const most = Math.max(MOST_N, n);
  return { low: partition(1, n, (value) => same({ n: value })), high: partition(n + 1, most + 1, (value) => !same({ n: value })) - 1 };
}

/** What the lens has found when it begins: the run that is shown, where its reach can be told; else nothing yet. */
function foundAtOnce({ trace, facts }, over) {
  const reach = reachOf(trace, over, facts.switches);
  const asked = { over, question: trace.question, settings: trace.settings, tokens: 0, seen: 0, done: false, shown: true };
  if (!reach) return {};
  const kinds = (type) => trace.events.filter((event) => event.type === type);
  const run = { decisions: kinds("decision").length, queries: kinds("query").map((event) => event.sent), retrievals: trace.counts.retrievals, answer: trace.answer.trim(), right: facts.right };
  return { ...asked, segments: [{ ...reach, value: trace.settings[over], ...run }] };
}
