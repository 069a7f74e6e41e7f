/* A unit's attention row as it is drawn: mean or one head, with or without its sink. The query never reads this. */

const HEADS = new WeakMap(); // a window's rows → its heads, unpacked once

/** The heads of a window's rows (dragin_core/heads.py): {count, of(unit, word, head)}, or null where they were not kept. */
function headsOf(rows) {
  if (!rows.heads?.data) return null;
  if (!HEADS.has(rows)) {
    const bytes = Uint8Array.from(atob(rows.heads.data), (sign) => sign.charCodeAt(0));
    const view = new DataView(bytes.buffer);
    const { count, scale } = rows.heads;
    let words = 0;
    const starts = rows.weights.map((row) => { const start = words; words += row.length; return start; });
    HEADS.set(rows, { count, of: (unit, word, head) => view.getUint16(2 * ((starts[unit] + word) * count + head), true) / scale });
  }
  return HEADS.get(rows);
}

const SINK_FROM = 0.5; // "most of the row"

/**
 * @param head a head's number from 0, or null for the mean over heads
 * @param sinkless leave the sink out and bring the rest to a sum of 1
 * @returns {{weights: number[], parts: Array<{kind, share}>, sink: {kind, share, word} | null, head}} parts: "words" and what
 *   goes elsewhere, together the whole row; empty where the unit has no row yet
 */
function drawnRow(window, index, head, sinkless) {
  const { rows } = window;
  const mean = rows.weights[index] || [];
  const heads = head === null ? null : headsOf(rows);
  const own = heads && head < heads.count;
  let weights = own ? mean.map((weight, word) => heads.of(index, word, head)) : [...mean];
  let parts = own ? [] : ["first", "passages", "prompt"].map((kind) => ({ kind, share: rows.elsewhere?.[kind]?.[index] || 0 }));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const known = parts.reduce((total, part) => total + part.share, sum);
  if (!own && known < 1e-3) return { weights, parts: [], sink: null, head: null };
  parts = [{ kind: "words", share: sum }, ...parts, { kind: own ? "rest" : "own", share: Math.max(0, 1 - known) }];
  parts = parts.filter((part) => part.share >= 5e-4 || part.kind === "words");
  const sink = sinkOf(weights, parts);
  if (sink && sinkless) {
    const rest = 1 - sink.share;
    if (sink.kind === "word") { weights[0] = 0; parts[0].share -= sink.share; }
    weights = weights.map((weight) => weight / rest);
    parts = parts.filter((part) => part.kind !== sink.kind).map(({ kind, share }) => ({ kind, share: share / rest }));
  }
  return { weights, parts, sink, head: own ? head : null };
}

/** The attention sink: the first token or the first word, where it takes most of the row. */
function sinkOf(weights, parts) {
  const first = parts.find((part) => part.kind === "first")?.share || 0;
  if (first > SINK_FROM) return { kind: "first", share: first };
  return weights[0] > SINK_FROM ? { kind: "word", share: weights[0] } : null;
}
