/* The lens drawn: retrievals against θ (logarithmic) or n, a column for each run, coloured and lettered by its answer. */

const LENS = { height: 204, top: 54, left: 30, right: 12, bottom: 26, stub: 7, colours: 8, ticks: { theta: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10], top_n: [1, 5, 10, 20, 30, 40, 50, 75, 100] } };

/** An SVG element with attributes and children. */
function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== null && value !== undefined) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/** The answers in the order in which they were found: {answer, right, letter, segments}. */
function answersOf(segments) {
  const found = new Map();
  for (const segment of segments) {
    if (!found.has(segment.answer)) found.set(segment.answer, { answer: segment.answer, right: segment.right, letter: letterOf(found.size), colour: found.size % LENS.colours, segments: [] });
    found.get(segment.answer).segments.push(segment);
  }
  return [...found.values()];
}

/** A, B, … Z, A2, B2, … */
function letterOf(place) {
  const round = Math.floor(place / 26);
  return String.fromCharCode(65 + (place % 26)) + (round ? round + 1 : "");
}

const byPlace = (segments) => [...segments].sort((a, b) => a.low - b.low);
const touches = (over, one, next) => (over === "theta" ? one.high === next.low : one.high + 1 === next.low);

/** Neighbours of one answer put together, in order: {low, high, segments}. */
function stretchesOf(over, segments, same = (one, next) => one.answer === next.answer) {
  const found = [];
  for (const segment of byPlace(segments)) {
    const last = found.at(-1);
    if (last && touches(over, last, segment) && same(last.segments[0], segment)) Object.assign(last, { high: segment.high, segments: [...last.segments, segment] });
    else found.push({ low: segment.low, high: segment.high, segments: [segment] });
  }
  return found;
}

/** The segment that holds a value, or undefined. */
function segmentAt(over, segments, value) {
  return segments.find(({ low, high }) => (over === "theta" ? low <= value && (high === null || value < high) : low <= value && value <= high));
}

/** The widest of some segments, where the dial is easiest to set. */
function widest(over, segments, scale) {
  const width = ({ low, high }) => scale(over === "theta" ? high ?? Infinity : high + 1) - scale(low);
  return segments.reduce((best, each) => (width(each) > width(best) ? each : best));
}

/** From a value to pixels: {x, from, to}. */
function scaleFor(over, segments, value, width) {
  const inside = width - LENS.left - LENS.right;
  if (over === "top_n") {
    const to = Math.max(50, value, ...segments.map((each) => each.high));
    return { from: 0.5, to: to + 0.5, x: (n) => LENS.left + (inside * (Math.min(to + 0.5, Math.max(0.5, n)) - 0.5)) / to };
  }
  const from = Math.max(0.01, Math.min(0.05, value || 0.01));
  const to = Math.max(0.5, 1.2 * value, 1.5 * Math.max(...segments.map((each) => each.low)));
  const share = (theta) => Math.log(Math.min(to, Math.max(from, theta)) / from) / Math.log(to / from);
  return { from, to, x: (theta) => LENS.left + inside * share(theta) };
}

/** Where a segment begins and ends in pixels. */
function placeOf(over, scale, { low, high }) {
  return over === "theta" ? [scale.x(low), scale.x(high ?? Infinity)] : [scale.x(low - 0.5), scale.x(high + 0.5)];
}

/** A range as a person reads it. */
function rangeText(over, { low, high }) {
  if (over === "top_n") return low === high ? String(low) : `${low}–${high}`;
  const short = (theta) => (theta < 0.0005 ? "0" : String(Number(theta.toPrecision(theta < 1 ? 3 : 4))));
  return high === null ? t("lens.from", { low: short(low) }) : `${short(low)}–${short(high)}`;
}

/** What a segment is, in a line. */
function segmentText(over, segment, letter) {
  const range = rangeText(over, segment);
  const count = segment.retrievals === 1 ? t("lens.retrieval") : t("lens.retrievals", { count: segment.retrievals });
  const judged = segment.right === null ? "" : ` · ${t(segment.right ? "lens.right" : "lens.wrong")}`;
  return `${t(over === "theta" ? "lens.theta" : "lens.n")} ${range} · ${count} · ${t("lens.answer", { letter })}${judged}`;
}

/** The chart's nodes inside the svg `root`; each column is an option with data-at, its place in order. */
function drawLens(root, { over, segments, value, at, width }) {
  const groups = answersOf(segments);
  const group = new Map(groups.flatMap((each) => each.segments.map((segment) => [segment, each])));
  const scale = scaleFor(over, segments, value, width);
  const most = Math.max(1, ...segments.map((each) => each.retrievals));
  const base = LENS.height - LENS.bottom;
  const y = (count) => base - LENS.stub - ((base - LENS.top - LENS.stub) * count) / most;
  const ordered = byPlace(segments);
  const present = segmentAt(over, segments, value);
  root.setAttribute("viewBox", `0 0 ${width} ${LENS.height}`);
  root.replaceChildren(
    hatch(),
    ...levels(most, y, width),
    ...gapsOf(over, ordered, scale).map(([left, right]) => svg("rect", { class: "lens-gap", x: left, y: LENS.top, width: right - left, height: base - LENS.top })),
    ...ticksOf(over, scale, base),
    ...ordered.map((segment, k) => column(over, segment, k, { scale, y, base, group: group.get(segment), on: segment === present, active: k === at })),
    ...stretchesOf(over, segments).flatMap((stretch) => letterNode(over, stretch, { scale, y, letter: group.get(stretch.segments[0]).letter })),
    ...marker(over, scale, value, base));
  return { groups, ordered, scale, present: ordered.indexOf(present) };
}

/** Where nothing is known (yet), in pixels: [from, to] between, before and behind the runs in their order. */
function gapsOf(over, ordered, scale) {
  const ends = ordered.map((segment) => placeOf(over, scale, segment));
  const edges = [scale.x(scale.from), ...ends.flat(), scale.x(scale.to)];
  return edges.flatMap((edge, k) => (k % 2 || edges[k + 1] - edge < 1 ? [] : [[edge, edges[k + 1]]]));
}

function hatch() {
  const line = svg("path", { class: "lens-hatching", d: "M0 8 L8 0" });
  return svg("defs", {}, svg("pattern", { id: "lens-hatch", width: 8, height: 8, patternUnits: "userSpaceOnUse" }, line));
}

function levels(most, y, width) {
  const step = Math.ceil(most / 5);
  const counts = Array.from({ length: Math.floor(most / step) + 1 }, (_, k) => k * step);
  return [
    ...counts.flatMap((count) => [
      svg("line", { class: "lens-level", x1: LENS.left, x2: width - LENS.right, y1: y(count), y2: y(count) }),
      svg("text", { class: "lens-number", x: LENS.left - 7, y: y(count) + 4, "text-anchor": "end" }, String(count))]),
    svg("text", { class: "lens-axis", x: 2, y: 12 }, t("lens.axis")),
  ];
}

function ticksOf(over, scale, base) {
  const inside = LENS.ticks[over].filter((tick) => tick >= scale.from && tick <= scale.to);
  return inside.flatMap((tick) => [
    svg("line", { class: "lens-tick", x1: scale.x(tick), x2: scale.x(tick), y1: base, y2: base + 5 }),
    svg("text", { class: "lens-number", x: scale.x(tick), y: base + 18, "text-anchor": "middle" }, String(tick))]);
}

function column(over, segment, k, { scale, y, base, group, on, active }) {
  const [left, right] = placeOf(over, scale, segment);
  const top = y(segment.retrievals);
  const name = `lens-column answer-${group.colour}${on ? " on" : ""}${active ? " active" : ""}`;
  const told = `${segmentText(over, segment, group.letter)}: ${segment.answer || t("lens.blank")}`;
  return svg("g", { class: name, role: "option", id: `lens-option-${k}`, "data-at": k, "aria-selected": String(on), "aria-label": told },
    svg("rect", { class: "lens-hit", x: left, y: LENS.top - 8, width: Math.max(1, right - left), height: base - LENS.top + 8 }),
    svg("rect", { class: "lens-bar-of", x: left, y: top, width: Math.max(1, right - left), height: base - top }),
    svg("line", { class: "lens-step", x1: left, x2: Math.max(left + 1, right), y1: top, y2: top }));
}

/** A letter over neighbours of one answer, where it has room. */
function letterNode(over, stretch, { scale, y, letter }) {
  const [left, right] = placeOf(over, scale, stretch);
  if (right - left < 11) return [];
  const top = Math.min(...stretch.segments.map((each) => y(each.retrievals)));
  return [svg("text", { class: "lens-letter", x: (left + right) / 2, y: top - 5, "text-anchor": "middle", "aria-hidden": "true" }, letter)];
}

/** The dial as it stands. */
function marker(over, scale, value, base) {
  const x = scale.x(value);
  const right = x > scale.x(scale.to) - 40;
  const name = over === "theta" ? `θ ${thetaText(value)}` : `n ${value}`;
  return [
    svg("line", { class: "lens-now", x1: x, x2: x, y1: 18, y2: base }),
    svg("text", { class: "lens-now-name", x: right ? x - 4 : x + 4, y: 27, "text-anchor": right ? "end" : "start" }, name),
  ];
}
