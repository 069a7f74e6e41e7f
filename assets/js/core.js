/* The method in the browser: pure functions of a trace (dragin-trace/1), so that θ and n answer at the speed of the hand.
   They mirror dragin_core's decision and query over the arrays the trace holds; nothing here touches the page. */

/** a_max of a unit as it was when unit `moment` had been written; null while no later token exists. */
function attentionAt(unit, moment) {
  let value = null;
  for (const [when, grown] of unit.max_attention_at || []) {
    if (when > moment) break;
    value = grown;
  }
  return value;
}

/** H · a_max · s of a unit at a moment; null where a_max is not known yet. */
function scoreAt(unit, moment) {
  const attention = attentionAt(unit, moment);
  return attention === null ? null : unit.entropy * attention * unit.semantic;
}

/** The first moment at which a unit's score exceeds θ; Infinity if it never does. */
function firstMoment(unit, theta) {
  if (!unit.semantic) return Infinity;
  for (const [when, grown] of unit.max_attention_at || []) {
    if (unit.entropy * grown > theta) return when;
  }
  return Infinity;
}

/**
 * The trigger: the earliest moment after `after` at which a unit not in `passed` exceeds θ; the leftmost if several do then.
 * @returns {{index: number, moment: number, score: number} | null}
 */
function decide(units, theta, after = -1, passed = []) {
  let best = null;
  units.forEach((unit, index) => {
    if (passed.includes(index)) return;
    const moment = Math.max(firstMoment(unit, theta), after + 1, index + 1);
    if (moment < units.length && (!best || moment < best.moment)) best = { index, moment };
  });
  return best && { ...best, score: scoreAt(units[best.index], best.moment) };
}

/**
 * The query of unit `index`: the n candidate words it pays most attention to, in reading order, each text once.
 * @returns {{words: Array<{text, where, start, end, stop, weight, outside, kept, index}>, text: string}} words: every word
 *   before it; those outside the layer's sliding window (null in the trace) weigh 0
 */
function queryOf(window, index, n) {
  const row = window.rows.weights[index] || [];
  const words = row.map((weight, i) => ({ ...window.rows.words[i], weight: weight ?? 0, outside: weight === null, kept: false, index: i }));
  const ranked = words.filter((word) => !word.stop).sort((a, b) => b.weight - a.weight || a.index - b.index);
  for (const word of ranked.slice(0, n)) word.kept = true;
  return { words, text: textOf(words.filter((word) => word.kept)) };
}

function textOf(words) {
  const seen = new Set();
  return words
    .filter((word) => !seen.has(word.text.toLowerCase()) && seen.add(word.text.toLowerCase()))
    .map((word) => word.text)
    .join(" ");
}

/** The events in rounds: what came before the window, the window, its groups of decision → query → passages, and the cut. */
function roundsOf(trace) {
  const rounds = [];
  let early = [];
  let round = null;
  (trace.events || []).forEach((event, at) => {
    if (event.type === "window") {
      round = { number: event.round, window: event, at, before: early, groups: [], cut: null, finished: null };
      early = [];
      rounds.push(round);
    } else if (event.type === "decision") {
      (round && !round.cut ? round.groups : early).push({ decision: event, query: null, passages: null, at });
    } else if (event.type === "query" || event.type === "passages") {
      const group = (round && !round.cut ? round.groups : early).at(-1);
      if (group) group[event.type] = event;
      if (group && event.type === "passages") group.passagesAt = at;
    } else if (round && (event.type === "cut" || event.type === "finished")) {
      round[event.type] = event;
    }
  });
  if (early.length) rounds.push({ number: (round?.number || 0) + 1, window: null, before: early, groups: [] });
  return rounds;
}

/**
 * What θ and n, as set now, would do to the rounds of a trace that was run with other values.
 * @returns rounds, each with `trigger`, `passed` (unit indices), `status`: "followed", "changed" (the branch leaves here)
 *   or "later" (it lies after the change and is not followed yet)
 */
function previewOf(trace, theta, n) {
  const settings = trace.settings || {};
  const live = (settings.method || "dragin") === "dragin";
  let changed = false;
  let retrievals = 0;
  return roundsOf(trace).map((round) => {
    const view = { ...round, trigger: null, passed: [], status: changed ? "later" : "followed", why: "" };
    for (const group of round.groups) {
      if (!group.decision.retrieve && group.decision.reason === "max retrievals") view.capped = true;
      if (changed) { view.trigger = recorded(group) || view.trigger; continue; }
      const other = live && round.window && theta !== settings.theta;
      const now = other ? triggerNow(round, view, theta, retrievals < settings.max_retrievals) : recorded(group);
      const same = !other || sameTrigger(now, recorded(group));
      const query = now && live ? queryOf(round.window, now.index, n) : null;
      view.trigger = now;
      if (!same || (query && group.query && query.text !== group.query.text && n !== settings.top_n)) {
        changed = true;
        view.status = "changed";
        view.why = same ? "query" : "trigger";
        if (!same) break;
      } else if (now && group.passages && group.passages.evidence !== "new") {
        view.passed.push(now.index);
        view.after = now.moment;
        view.trigger = null;
      }
      if (group.passages && group.passages.evidence === "new") retrievals += 1;
    }
    return view;
  });
}

function triggerNow(round, view, theta, allowed) {
  return allowed ? decide(round.window.units, theta, view.after ?? -1, view.passed) : null;
}

function recorded(group) {
  const { retrieve, index, moment, score } = group.decision;
  return retrieve && index !== null && index !== undefined ? { index, moment, score } : null;
}

function sameTrigger(a, b) {
  return (!a && !b) || Boolean(a && b && a.index === b.index && a.moment === b.moment);
}

/**
 * The top of the common scale: a round number above θ, every trigger and nearly every score. A few outliers (often in a
 * cut tail) may rise above it, so that they do not flatten all the rest; they are drawn as cut short.
 */
function scaleOf(trace) {
  const scores = [];
  let top = 0;
  let units = [];
  for (const event of trace.events || []) {
    if (event.units) units = event.units;
    for (const unit of event.units || []) if (unit.rind > 0) scores.push(unit.rind);
    if (event.type === "decision" && event.retrieve && event.index >= 0) top = Math.max(top, units[event.index]?.rind || 0);
  }
  scores.sort((a, b) => a - b);
  const highest = scores.at(-1) || 0;
  top = Math.max(top, scores[Math.floor(0.95 * (scores.length - 1))] || 0, Math.min(trace.settings?.theta || 0, 2 * highest));
  const steps = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10];
  return steps.find((step) => step >= 1.12 * top) || Math.ceil(1.12 * top);
}

/** Where the cut answer ends in a window's own text: the start of the trigger's word. */
function cutAt(window, trigger) {
  if (!trigger) return Infinity;
  const unit = window.units[trigger.index];
  return unit.word ? Math.max(0, unit.word[0] - window.kept_text.length) : unit.start;
}

/**
 * A trace as it stood after `upto` events; the last one, where it is a window, with its first `written` tokens (null: all).
 * The numbers are those of that moment: later tokens have not looked back yet.
 */
function traceUntil(trace, upto, written = null) {
  const events = trace.events.slice(0, upto);
  const last = events.at(-1);
  if (last?.type === "window" && written !== null) events[events.length - 1] = windowUntil(last, written);
  if (events.at(-1)?.type === "finished") return trace;
  const windows = events.filter((event) => event.type === "window");
  const newest = windows.at(-1);
  const whole = windows.length && !windows[0].partial;
  const answer = last?.type === "cut" ? last.kept_text : newest ? newest.kept_text + newest.text : "";
  return { ...trace, events, answer, answer_without_retrieval: whole ? trace.answer_without_retrieval : null, counts: {} };
}

function windowUntil(window, count) {
  if (count >= window.units.length) return window;
  const units = window.units.slice(0, count).map((unit) => {
    const attention = attentionAt(unit, count - 1);
    return { ...unit, max_attention: attention, pending: attention === null, rind: attention === null ? null : unit.entropy * attention * unit.semantic * (unit.scale ?? 1) };
  });
  return { ...window, units, text: window.text.slice(0, units.at(-1)?.end ?? 0), partial: true, stop: null };
}

/** How many tokens are written before the next event can happen: up to the moment of the trigger, else all. */
function tokensBefore(events, at) {
  const next = events[at + 1];
  const fires = next?.type === "decision" && next.retrieve && Number.isInteger(next.moment);
  return fires ? next.moment + 1 : events[at].units.length;
}
