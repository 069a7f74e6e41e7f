/* WHEN as a plot: RIND, H and a_max of a round's tokens, every score beside them, θ through both. The figure comes from
   visuals/figures.py once; here its arrays are filled from the trace, so that θ, round and focus never ask the server.
   What moves with the hand (θ's line, the token in focus) lies over the plot, so that a hover label is never redrawn. */

const PLOT = { loading: null, bins: 25, near: 8, labels: 14, narrow: 480, pause: 120, writing: 350 };

/** plotly.js from the installed package, once; rejects where it cannot be had. */
function loadPlotly() {
  PLOT.loading ??= new Promise((done, failed) => {
    const node = h("script", "", { src: PLOTLY_URL, async: true });
    node.onload = () => (window.Plotly ? done(window.Plotly) : failed(new Error("plotly.js did not start")));
    node.onerror = () => failed(new Error("plotly.js was not found"));
    document.head.append(node);
  });
  return PLOT.loading;
}

/** The panel's parts; `nodes` go into the page. plotly.js is fetched when they come near the window's view. */
function buildSignals() {
  const view = { plot: h("div", "plot", { role: "img", "aria-label": t("signals.label"), "aria-describedby": "signals-summary" }),
    band: h("div", "plot-band", { "aria-hidden": "true" }), note: h("p", "plot-note", { role: "status" }, t("signals.loading")),
    handle: h("div", "theta-handle", { "aria-hidden": "true" }, h("span", "theta-name")),
    reset: h("button", "plain", { type: "button", disabled: true }, t("signals.reset")), summary: h("p", "summary", { id: "signals-summary" }), base: null, held: null };
  view.frame = h("div", "plot-frame waiting", {}, view.band, view.plot, view.handle, view.note);
  view.nodes = [h("div", "tools", {}, signalsKey(), view.reset), view.frame, view.summary, h("p", "soft", {}, t("signals.hint"))];
  const start = () => loadPlotly().then((plotly) => { view.plotly = plotly; }, () => { view.failed = true; }).then(() => redrawSignals(view));
  new IntersectionObserver((entries) => {
    view.near = entries.at(-1).isIntersecting;
    if (view.near) { view.started ??= start(); redrawSignals(view); }
  }, { rootMargin: "400px" }).observe(view.frame);
  new ResizeObserver(() => { if (view.drawn) { view.drawn = null; redrawSignals(view); } }).observe(view.frame);
  new MutationObserver(() => redrawSignals(view)).observe(document.body, { attributeFilter: ["class"] });
  return view;
}

function signalsKey() {
  const sign = (name) => h("span", `key signal-${name}`, {}, h("i", "", { "aria-hidden": "true" }, t(`signals.key.${name}.sign`)), t(`signals.key.${name}`));
  return h("p", "legend", {}, ...["score", "entropy", "attention"].map(sign));
}

function viewSignals(view, model, focus) {
  Object.assign(view, { model, focus });
  redrawSignals(view);
}

function redrawSignals(view) {
  const { model, focus } = view;
  if (!model) return;
  const round = model.rounds[focus.round];
  const units = round?.window?.units || [];
  view.summary.textContent = units.length ? signalsSummary(model, round) : "";
  const ready = Boolean(view.plotly && units.length);
  view.frame.classList.toggle("waiting", !ready);
  view.note.textContent = ready ? "" : t(!units.length ? "signals.empty" : view.failed ? "signals.failed" : "signals.loading");
  if (!ready || !view.near) return;
  const now = { trace: model.trace, scale: model.scale, round: focus.round, dark: document.body.classList.contains("dark"), theta: model.theta, n: model.n };
  const changed = Object.keys(now).filter((name) => now[name] !== view.drawn?.[name]);
  clearTimeout(view.soon);
  const wait = changed.every((name) => name === "theta" || name === "n") ? PLOT.pause : round.window.partial || model.live ? PLOT.writing : 0;
  if (changed.length && wait) view.soon = setTimeout(() => plotSignals(view, now), wait);
  else if (changed.length) plotSignals(view, now);
  placeMarks(view);
}

/** A token inside a figure, where plotly would read markup. */
function plotText(text, most = 16) {
  const cut = [...shown(text)].length > most ? `${[...shown(text)].slice(0, most - 1).join("")}…` : shown(text);
  return cut.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** A figure with the colours that its CSS variables have here and now. */
function coloured(figure, node) {
  const probe = h("i", "", { hidden: true });
  node.append(probe);
  const colour = (name) => { probe.style.color = name; return getComputedStyle(probe).color; };
  const text = JSON.stringify(figure).replace(/"(var\(--[a-z-]+\))"/g, (whole, name) => JSON.stringify(colour(name)));
  probe.remove();
  return JSON.parse(text);
}

/** Plot anew what differs, once writing pauses; while a dial moves, only θ's line goes with the hand, the bars' shades follow when it pauses. */
function plotSignals(view, now) {
  const { model } = view;
  const { round: r, dark } = now;
  if (view.dark !== dark) Object.assign(view, { dark, figure: coloured(FIGURES.signals, view.frame) });
  view.drawn = now;
  const figure = structuredClone(view.figure);
  const first = !view.plot.data;
  fillSignals(figure, model, model.rounds[r]);
  frameSignals(figure.layout, view, model, r);
  view.plotly.react(view.plot, figure.data, figure.layout, { displayModeBar: false, doubleClick: false, scrollZoom: false });
  if (first) listenPlot(view);
  view.reset.disabled = !zoomed(view);
}

const MARK_OF = { fires: "▲", passed: "△", pending: "▨" };

function fillSignals({ data }, model, round) {
  const { units } = round.window;
  const [rind, entropy, attention, scores] = data;
  const states = units.map((unit, i) => stateOf(round, i, round.cutFrom));
  const x = units.map((unit, i) => i);
  rind.x = entropy.x = attention.x = x;
  rind.y = units.map((unit) => unit.rind ?? 0);
  rind.text = states.map((state) => MARK_OF[state] || "");
  rind.customdata = units.map((unit, i) => [plotText(unit.text, 40), unit.pending ? t("signals.pending") : NUMBERS.score(unit.rind), states[i] === "calm" || states[i] === "pending" ? "" : ` · ${t(`token.${states[i]}`)}`]);
  rind.marker.opacity = units.map((unit, i) => (!model.dragin || unit.rind > model.theta ? 1 : 0.5) * (states[i] === "cut" ? 0.6 : 1));
  rind.marker.pattern = { shape: states.map((state) => (state === "cut" ? "/" : "")), size: 5, solidity: 0.4, fillmode: "replace" };
  entropy.y = units.map((unit) => unit.entropy);
  attention.y = units.map((unit) => unit.max_attention);
  scores.y = model.rounds.flatMap((each) => (each.window?.units || []).filter((unit) => unit.semantic && unit.rind !== null).map((unit) => unit.rind));
  const size = model.scale / PLOT.bins;
  scores.ybins = { start: 0, size, end: (Math.ceil(Math.max(0, ...scores.y) / size) + 1) * size };
}

/** Ranges, and what keeps the zoom: the same round of the same question, from the ranges it was zoomed from. */
function frameSignals(layout, view, model, r) {
  const every = model.rounds.flatMap((round) => round.window?.units || []);
  const most = (name) => 1.1 * Math.max(1e-3, ...every.map((unit) => unit[name] || 0));
  const key = `${model.trace.question}|${r}`;
  const held = view.base?.key === key && zoomed(view);
  if (!held) view.base = { key, x: [-0.6, model.rounds[r].window.units.length - 0.4], y: [0, 1.08 * model.scale] };
  layout.uirevision = key;
  layout.xaxis.range = [...view.base.x];
  layout.yaxis.range = [...view.base.y];
  layout.yaxis2.range = [0, most("entropy")];
  layout.yaxis3.range = [0, most("max_attention")];
  layout.width = view.frame.clientWidth;
  layout.height = view.frame.clientHeight;
  if (layout.width < PLOT.narrow) Object.assign(layout.yaxis3.title, { text: "" }); // the key tells it by colour and sign
  if (matchMedia("(pointer: coarse)").matches) layout.dragmode = false; // a finger scrolls the page
  const share = layout.xaxis.domain[1] - layout.xaxis.domain[0];
  const range = held ? view.plot.layout.xaxis.range : view.base.x;
  Object.assign(layout.xaxis, tokenTicks(model.rounds[r].window.units, range, share * (layout.width - layout.margin.l - layout.margin.r)));
}

/** As many token names as have room on an axis; what has none keeps its place without a name. */
function tokenTicks(units, range, length) {
  const step = Math.max(1, Math.ceil(((range[1] - range[0]) * PLOT.labels) / length));
  return { tickvals: units.map((unit, i) => i), ticktext: units.map((unit, i) => (i % step ? "" : plotText(unit.text, 9))) };
}

function zoomed(view) {
  const { layout } = view.plot;
  const other = (range, base) => range?.some((value, i) => Math.abs(value - base[i]) > 1e-9);
  return Boolean(view.base && layout && (other(layout.xaxis.range, view.base.x) || other(layout.yaxis.range, view.base.y)));
}

/** After a zoom: other names have room, and a button ends it. */
function zoomSignals(view) {
  const { xaxis } = view.plot._fullLayout;
  const { tickvals, ticktext } = tokenTicks(view.model.rounds[view.focus.round].window.units, xaxis.range, xaxis._length);
  view.reset.disabled = !zoomed(view);
  placeMarks(view);
  if (String(ticktext) !== String(xaxis.ticktext)) view.plotly.relayout(view.plot, { "xaxis.tickvals": tickvals, "xaxis.ticktext": ticktext });
}

/** θ's line and the band behind the token in focus, where the axes have them now. */
function placeMarks(view) {
  const { model, focus, plot, handle, band } = view;
  if (!plot._fullLayout) return;
  if (view.held) scrollBy(0, plot.getBoundingClientRect().top - view.held);
  const { xaxis, yaxis, xaxis2, yaxis2 } = plot._fullLayout;
  const at = yaxis.l2p(model.theta);
  const inside = Math.max(0, Math.min(yaxis._length, at));
  handle.hidden = !model.dragin;
  handle.style.top = `${yaxis._offset + inside}px`;
  handle.style.left = `${xaxis._offset}px`;
  handle.style.width = `${xaxis2._offset + xaxis2._length - xaxis._offset}px`;
  handle.classList.toggle("beyond", at < -0.5 || at > yaxis._length + 0.5);
  handle.firstChild.textContent = `θ ${thetaText(model.theta)}${at < -0.5 ? " ↑" : at > yaxis._length + 0.5 ? " ↓" : ""}`;
  const [left, right] = [-0.5, 0.5].map((half) => Math.max(0, Math.min(xaxis._length, xaxis.l2p((focus.unit ?? -9) + half))));
  band.hidden = focus.unit === null || focus.unit === undefined || right - left < 1;
  Object.assign(band.style, { left: `${xaxis._offset + left}px`, width: `${right - left}px`, top: `${yaxis._offset}px`, height: `${yaxis2._offset + yaxis2._length - yaxis._offset}px` });
  band.classList.toggle("locked", Boolean(focus.locked));
  band.dataset.unit = focus.unit;
}

function listenPlot(view) {
  view.plot.on("plotly_hover", ({ points }) => view.onHover({ round: view.focus.round, unit: points[0].x }));
  view.plot.on("plotly_unhover", () => view.onHover(null));
  view.plot.on("plotly_relayout", () => zoomSignals(view));
}

/** What lies under a pointer: `unit` (a token to lock) or `theta` (the score at that height). */
function spotAt(view, event) {
  const { left, top } = view.plot.getBoundingClientRect();
  const { xaxis, yaxis, xaxis2 } = view.plot._fullLayout;
  const [x, y] = [event.clientX - left, event.clientY - top];
  const theta = yaxis.p2l(y - yaxis._offset);
  const over = (axis) => x >= axis._offset && x <= axis._offset + axis._length;
  const inBars = y >= yaxis._offset - 2 && y <= yaxis._offset + yaxis._length;
  if (over(xaxis2) && inBars) return { theta };
  if (!over(xaxis) || y < yaxis._offset) return {};
  const unit = Math.round(xaxis.p2l(x - xaxis._offset));
  const score = view.model.rounds[view.focus.round].window.units[unit]?.rind ?? 0;
  const onBar = y >= yaxis._offset + Math.min(yaxis._length - PLOT.near, yaxis.l2p(score));
  return inBars && !onBar ? { theta } : { unit };
}

/** Pointers in the plot: `hooks` are hover(focus), lock(focus) and dial({theta, done}). */
function listenSignals(view, hooks) {
  view.onHover = hooks.hover;
  view.reset.addEventListener("click", () => {
    view.plotly.relayout(view.plot, { "xaxis.range": [...view.base.x], "yaxis.range": [...view.base.y] }).then(() => { view.drawn = null; redrawSignals(view); });
  });
  let down = null;
  view.plot.addEventListener("pointerdown", (event) => { down = event; }, true);
  window.addEventListener("pointerup", (event) => {
    const start = down;
    down = null;
    if (!start || event.button || !view.plot._fullLayout || Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY) > 4) return;
    const { unit, theta } = spotAt(view, event);
    const { units } = view.model.rounds[view.focus.round].window;
    if (units[unit]) hooks.lock({ round: view.focus.round, unit });
    else if (theta !== undefined && view.model.dragin) hooks.dial({ theta, done: true });
  }, true);
  dragTheta(view, hooks.dial);
}

/** θ goes with the hand alone: what a new trigger does to the panels above must neither move θ nor the plot. */
function dragTheta(view, dial) {
  const { handle } = view;
  let grip = null; // how far the pointer is from the line
  let theta = null;
  const top = () => view.plot.getBoundingClientRect().top;
  const at = (event) => event.clientY - view.held - view.plot._fullLayout.yaxis._offset;
  handle.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    handle.setPointerCapture(event.pointerId);
    view.held = top();
    theta = null;
    grip = at(event) - (parseFloat(handle.style.top) - view.plot._fullLayout.yaxis._offset);
    event.preventDefault();
  });
  handle.addEventListener("pointermove", (event) => {
    if (grip === null) return;
    theta = view.plot._fullLayout.yaxis.p2l(at(event) - grip);
    dial({ theta, done: false });
  });
  const letGo = () => {
    if (grip !== null && theta !== null) dial({ theta, done: true });
    grip = null;
    view.held = null;
  };
  handle.addEventListener("pointerup", letGo);
  handle.addEventListener("pointercancel", letGo);
}
