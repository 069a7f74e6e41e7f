/* The method in the browser: pure functions of a trace (dragin-trace/1), so that θ and n answer at the speed of the hand.
   They mirror dragin_core's decision and query over the arrays the trace holds; nothing here touches the page.
   `switches` are the effective ones by name; one that is left out has the paper's value. */

/* A trace counts characters as Python does, the browser in halves of 16 bits: an emoji is one there and two here. */
const isWide = (text) => /[\ud800-\udbff]/.test(text);

/** The characters of `text` from `start` up to `end`, counted as a trace counts them. */
function part(text, start, end = Infinity) {
  return isWide(text) ? [...text].slice(start, end).join("") : text.slice(start, end);
}

/** a_max of a unit as it was when unit `moment` had been written; null while no later token exists. */
function attentionAt(unit, moment) {
  let value = null;
  for (const [when, grown] of unit.max_attention_at || []) {
    if (when > moment) break;
    value = grown;
  }
  return value;
}

/** H · a_max · s of a unit at a moment, unscaled; null where a_max is not known yet. */
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
    const moment = Math.max(firstMoment(unit, theta), after + 1);
    if (moment < units.length && (!best || moment < best.moment)) best = { index, moment };
  });
  return best && { ...best, score: scoreAt(units[best.index], best.moment) };
}

/** The index of the sentence that a unit is in; -1 where the window has none for it. */
function sentenceAt(window, index) {
  return (window.sentences || []).findIndex(([first, end]) => first <= index && index < end);
}

/** 1 for each unit of a stretch that is above θ, else 0. */
function flagsIn(window, [first, end], theta) {
  return window.units.slice(first, end).map((unit) => Number(Boolean(unit.semantic) && unit.rind > theta));
}

/**
 * Decided over the whole window: the first sentence, behind those of the units in `passed`, that holds a unit above θ.
 * @returns {{index, moment, score, sentence: [first, end], flags: number[]} | null} flags: 1 per unit above θ
 */
function decideSentence(window, theta, passed = []) {
  const done = Math.max(-1, ...passed.map((index) => sentenceAt(window, index)));
  for (const [first, end] of window.sentences.slice(done + 1)) {
    const flags = flagsIn(window, [first, end], theta);
    const hit = flags.indexOf(1);
    if (hit >= 0) {
      return { index: first + hit, moment: window.units.length - 1, score: window.units[first + hit].rind, sentence: [first, end], flags };
    }
  }
  return null;
}

/** The units flagged beside a trigger, in its sentence. */
function flaggedWith(trigger) {
  if (!trigger?.sentence) return [];
  return trigger.flags.flatMap((flag, k) => (flag && trigger.sentence[0] + k !== trigger.index ? [trigger.sentence[0] + k] : []));
}

/** Whether the trace's rows are the very ones a query is made of under these switches. */
function mirrorsQuery(switches = {}) {
  const papers = { query_row: "trigger", query_hits: "trigger", query_text: "context", query_unit: "word", query_scope: "answer" };
  return Object.entries(papers).every(([name, value]) => (switches[name] ?? value) === value) && switches.query_stopwords !== "pos";
}

/**
 * The query of unit `index`: the n candidate words it pays most attention to, in reading order, each text once.
 * @returns {{words: Array<{text, where, start, end, stop, weight, outside, kept, index}>, text: string}} words: every word
 *   before it; those outside the layer's sliding window (null in the trace) weigh 0
 */
function queryOf(window, index, n, switches = {}) {
  const row = window.rows.weights[index] || [];
  const words = row.map((weight, i) => ({ ...window.rows.words[i], weight: weight ?? 0, outside: weight === null, kept: false, index: i }));
  const all = switches.query_stopwords === "keep";
  return keepTop(words, words.filter((word) => all || !word.stop), n, false);
}

function keepTop(words, candidates, n, repeats) {
  const ranked = [...candidates].sort((a, b) => b.weight - a.weight || a.index - b.index);
  for (const word of ranked.slice(0, n)) word.kept = true;
  return { words, text: textOf(words.filter((word) => word.kept), repeats) };
}

/**
 * The query of a unit as far as a trace tells: mirrored where the switches let it, else weighed anew from the words that
 * the engine weighed for this very trigger.
 * @param round of `previewOf`; @param settings the trace's
 * @returns {{words, text, sent?: string} | null} null: only the engine can tell
 */
function queryFor(round, index, n, settings, switches = {}) {
  if (mirrorsQuery(switches)) return queryOf(round.window, index, n, switches);
  const event = round.groups.find((group) => group.query && group.decision.index === index)?.query;
  if (!event || round.flagsChanged) return null;
  const words = event.words.map((word, i) => ({ ...word, index: i, stop: false }));
  if (n === settings.top_n) return { words, text: event.text, sent: event.sent };
  if (switches.query_unit === "token") return null;
  for (const word of words) word.kept = false;
  return keepTop(words, words, n, switches.query_text === "reencoded");
}

function textOf(words, repeats = false) {
  if (repeats) return words.map((word) => word.text).join(" ");
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

const PARTS = { dragin: ["rind", "qfs"], flare: ["flare", "flare-mask"] }; // when and what, of those that are drawn in a way of their own

/** The timing policy of a run. */
function timingOf({ method = "dragin", when } = {}) {
  return when || PARTS[method]?.[0] || "";
}

/** The query formulation of a run. */
function formulationOf({ method = "dragin", what } = {}) {
  return what || PARTS[method]?.[1] || "";
}

/** Whether a run retrieves where a score passes θ, whatever its method is called. */
function isRind(settings) {
  return timingOf(settings) === "rind";
}

/** Whether its queries are the sentence ahead without its unlikely tokens. */
function asksMasked(settings) {
  return formulationOf(settings) === "flare-mask";
}

/** Whether its queries are the words that the trigger attends to most. */
function isQfs(settings) {
  return formulationOf(settings) === "qfs";
}

/**
 * What θ and n, as set now, would do to the rounds of a trace that was run with other values.
 * @returns rounds, each with `trigger`, `passed` (unit indices), `flagged` (beside the trigger), `cutFrom` (where in the
 *   window's text the cut begins), `status`: "followed", "changed" (the branch leaves here) or "later" (it lies after the
 *   change and is not followed yet), and `why` it changed: "trigger", "query", or "unknown" (only the engine can tell)
 */
function previewOf(trace, theta, n, switches = {}) {
  const settings = trace.settings || {};
  const context = { settings, switches, theta, n, live: isRind(settings), asks: isQfs(settings) };
  const sofar = { changed: false, retrievals: 0 };
  return roundsOf(trace).map((round) => {
    const view = { ...round, trigger: null, passed: [], ignored: [], status: sofar.changed ? "later" : "followed", why: "" };
    for (const group of round.groups) if (!previewGroup(view, group, context, sofar)) break;
    view.flagged = flaggedWith(view.trigger);
    view.cutFrom = view.window ? cutOf(view, switches) : Infinity;
    return view;
  });
}

/** Add what a group comes to now to a round's view; false where the branch leaves the run here. */
function previewGroup(view, group, context, sofar) {
  const { settings, switches, theta, n, live, asks } = context;
  if (group.decision.reason === "max retrievals") view.capped = true;
  if (group.decision.reason === "kept unchecked") view.unchecked = true;
  const byHand = Boolean(group.decision.edited);
  if (byHand && !group.decision.retrieve) {
    if (group.decision.index !== null && !sofar.changed) { view.passed.push(group.decision.index); view.ignored.push(group.decision.index); view.after = group.decision.moment; }
    return true;
  }
  const before = recorded(group);
  if (sofar.changed) { view.trigger = before || view.trigger; return true; }
  const other = live && view.window && theta !== settings.theta && !view.unchecked && !byHand;
  view.trigger = other ? triggerNow(view, theta, switches, sofar.retrievals < settings.max_retrievals) : before;
  view.why = !sameTrigger(view.trigger, before) ? "trigger" : live && asks && view.window && group.query ? queryChange(view, group, before, context) : "";
  if (view.why) {
    sofar.changed = true;
    view.status = "changed";
    if (view.why === "trigger") return false;
  } else if (view.trigger && group.passages && !accepted(group, switches)) {
    view.passed.push(view.trigger.index);
    view.after = view.trigger.moment;
    view.trigger = null;
  }
  if (accepted(group, switches)) sofar.retrievals += 1;
  return true;
}

/** Whether the query of an unchanged trigger would be another: "query", "unknown" or "". */
function queryChange(view, group, before, { settings, switches, n }) {
  if (!view.trigger || group.query.edited) return "";
  const flagsCount = switches.query_hits === "sentence" || switches.query_stopwords === "pos";
  view.flagsChanged = flagsCount && String(view.trigger.flags) !== String(before.flags);
  if (view.flagsChanged) return "unknown";
  if (n === settings.top_n) return "";
  const query = queryFor(view, view.trigger.index, n, settings, switches);
  return !query ? "unknown" : query.text === group.query.text ? "" : "query";
}

/** Whether the passages found go into the prompt. */
function accepted(group, switches = {}) {
  const evidence = group.passages?.evidence;
  return evidence === "new" || (evidence === "same" && switches.repeat_evidence === "retrieve");
}

function triggerNow(view, theta, switches, allowed) {
  if (!allowed) return null;
  if (switches.decide === "window") return decideSentence(view.window, theta, view.passed);
  return decide(view.window.units, theta, view.after ?? -1, view.passed);
}

function recorded(group) {
  const { retrieve, index, moment, score, sentence, flags, keeps } = group.decision;
  return retrieve && index !== null && index !== undefined ? { index, moment, score, keeps, ...(sentence ? { sentence, flags } : {}) } : null;
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

/** Characters as the trace counts them: code points. */
function sizeOf(text) {
  return [...text].length;
}

/** Where the cut answer ends in a window's own text: before the trigger's word, token or sentence. */
function cutAt(window, trigger, switches = {}) {
  if (!trigger) return Infinity;
  const unit = window.units[trigger.index];
  if (Number.isInteger(trigger.keeps)) return window.units[trigger.keeps]?.start ?? Infinity;
  if (switches.cut === "sentence" && trigger.sentence) return window.units[trigger.sentence[0]].start;
  if (switches.cut === "token" || !unit.word) return unit.start;
  return Math.max(0, unit.word[0] - sizeOf(window.kept_text));
}

/** Where what was not kept of a round begins: as it happened, else as it would. */
function cutOf(round, switches) {
  if (round.cut && round.status !== "changed") return sizeOf(round.cut.kept_text) - sizeOf(round.window.kept_text);
  return cutAt(round.window, round.trigger, switches);
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
  return { ...window, units, text: part(window.text, 0, units.at(-1)?.end ?? 0), partial: true, stop: null };
}

/** How many tokens are written before the next event can happen: up to the moment of the trigger, else all. */
function tokensBefore(events, at) {
  const next = events[at + 1];
  const fires = next?.type === "decision" && next.retrieve && Number.isInteger(next.moment);
  return fires ? next.moment + 1 : events[at].units.length;
}
