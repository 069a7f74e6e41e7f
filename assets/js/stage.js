/* The stage holds what is shown (a payload), the dials (θ, n) and the focus, and redraws what a change touches. */

const STEADY = ".round-head, .legend, .card, .attention, .query, .passages, .prompt-columns, .summary, .shown-run, .timeline"; // what θ and n change

/** Build the panels inside `root` and return {show, set, freeze, state}: the whole interface of the views, with or without a server. */
function mountStage(root) {
  const panels = buildPanels(root);
  const state = { payload: null, theta: null, n: null, locked: null, hovered: null, round: null, group: null, special: false, words: false, scale: 0, live: false, upto: null, written: null, playing: false, head: null, arcs: false, sinkless: false, measure: null, presenting: false };
  let frame = 0;
  const redraw = () => { frame = 0; draw(panels, state); relink(root, state); root.dispatchEvent(new CustomEvent("dragin-drawn", { bubbles: true })); };
  const later = () => { frame = frame || requestAnimationFrame(redraw); };
  const player = mountPlayer(panels.player, state, later, (name) => reveal(root, name));
  panels.play = player;
  mountTake(root, panels, () => { const model = modelOf(state); return { model, focus: focusOf(state, model) }; });
  panels.present = mountPresentation(root, panels, state, player, later);
  listen(root, panels, state, later);
  const steady = mountSteady(() => root.querySelectorAll(STEADY));
  window.addEventListener("resize", steady.letGo);
  return {
    state,
    /** Show a payload (visuals/payload.py); the lock survives where its token still exists. */
    show(payload, dials = {}) {
      const another = payload.trace.question !== state.payload?.trace.question;
      const otherwise = JSON.stringify(payload.facts?.switches) !== JSON.stringify(state.payload?.facts?.switches); // scores of another kind
      player.reset();
      steady.letGo();
      Object.assign(state, { payload, live: Boolean(payload.live) }, dials);
      state.theta ??= payload.trace.settings?.theta ?? 0;
      state.n ??= payload.trace.settings?.top_n ?? 1;
      if (another) Object.assign(state, { locked: null, hovered: null, round: null, group: null, measure: null });
      if (another || otherwise) state.scale = 0;
      state.scale = Math.max(state.scale, scaleOf(payload.trace));
      redraw();
    },
    /** Move θ or n: what they would do is drawn at once; nothing is asked of a model. */
    set(dials) {
      steady.hold();
      Object.assign(state, dials);
      later();
    },
    /** The run was stopped: what is partial stays, marked so. */
    freeze() {
      state.live = false;
      if (state.payload) { state.payload = { ...state.payload, live: false }; redraw(); }
    },
  };
}

function buildPanels(root) {
  const part = (tag, className, attributes) => h(tag, className, attributes);
  const panels = {
    shown: part("div", "shown-run"), tools: stageTools(), player: part("div", "player"), timeline: part("ol", "timeline", { "aria-label": t("timeline.label") }), rounds: part("div", "rounds"),
    legend: part("p", "legend"), card: part("div", "card"), attention: part("div", "attention when-row"), query: part("div", "query"),
    passages: part("div", "passages"), prompt: part("div", "prompt-columns"), answers: part("div", "answer-body"),
    signals: buildSignals(), rowTools: buildRowTools(), said: part("p", "sr-only", { role: "status" }),
    special: part("input", "", { type: "checkbox" }), words: part("input", "", { type: "checkbox" }), measure: buildMeasure(),
  };
  const section = (key, ...children) => h("section", `panel ${key}`, { "data-name": key, tabindex: -1, "aria-label": t(`${key}.title`) }, heading(key), ...children);
  const toggles = h("span", "toggles", {}, ...["words", "special"].map((name) => h("label", "toggle", {}, panels[name], t(`${name}.label`))), h("label", "toggle", {}, t("measure.label"), panels.measure));
  root.replaceChildren(h("div", "stage-head", {}, panels.shown, panels.tools), panels.timeline, panels.player,
    h("div", "grid", {},
      h("div", "column", {}, section("when", h("div", "tools", {}, panels.legend, toggles), panels.rounds, panels.card), section("signals", ...panels.signals.nodes), section("answer", panels.answers)),
      h("div", "column", {}, section("what", ...panels.rowTools.nodes, panels.attention, panels.query), section("with", panels.passages))),
    section("prompt", panels.prompt), panels.said);
  panels.start = panels.tools.querySelector(".present-start");
  return panels;
}

/** Beside the question: the door to the tour, where the page has one (`dragin-tour` has a listener there). */
function stageTools() {
  const tour = h("button", "tool tour-start", { type: "button", title: t("tour.button.help") }, t("tour.button"));
  tour.addEventListener("click", () => { window.draginTourAsked = true; window.dispatchEvent(new CustomEvent("dragin-tour")); });
  const present = h("button", "tool present-start", { type: "button", title: t("present.help"), "aria-keyshortcuts": "p" }, t("present.start"));
  return h("div", "stage-tools", {}, tour, present);
}

/** Everything the views read: the payload (as far as the playhead stands), the dials, and what follows from both. */
function modelOf(state, whole = false) {
  const { payload, theta, n, special, words, live, head, arcs, sinkless, edit } = state;
  const switches = payload.facts.switches || {};
  const trace = whole ? payload.trace : traceNow(state);
  const rounds = previewOf(trace, theta, n, switches);
  const factsAt = (at) => payload.facts.events[at] || {};
  const usedIn = (round) => (round.window ? factsAt(round.at).used || [] : []);
  const usedWords = (group) => {
    const next = rounds.find((round) => round.window && round.at > group.passagesAt);
    const cut = next ? next.cutFrom : 0;
    return new Set(next ? usedIn(next).filter(([start]) => start < cut).map(([, , key]) => key) : []);
  };
  const dragin = isRind(trace.settings);
  const measure = measureOf(state.measure, { settings: trace.settings, theta, scale: state.scale });
  const replay = trace !== payload.trace;
  return { payload, trace, replay, theta, n, special, words, scale: state.scale, measure, live, head, arcs, sinkless, edit, switches, rounds, factsAt, usedIn, usedWords, dragin };
}

/** The trace as far as the playhead stands; the same object until it moves. */
function traceNow(state) {
  const { payload: { trace }, upto, written, past } = state;
  if (upto === null) return trace;
  if (past?.trace !== trace || past.upto !== upto || past.written !== written) state.past = { trace, upto, written, seen: traceUntil(trace, upto, written) };
  return state.past.seen;
}

/** The token the panels speak of: locked, else hovered, else what fired last, else the highest score. */
function focusOf(state, model) {
  const exists = (focus) => focus && model.rounds[focus.round]?.window?.units[focus.unit];
  if (exists(state.locked)) return { ...state.locked, group: null, locked: true };
  if (exists(state.hovered)) return { ...state.hovered, group: null, locked: false };
  if (state.presenting) return { ...presentedFocus(model), group: null, locked: false };
  const round = state.round !== null && model.rounds[state.round] ? state.round : usualRound(model);
  return { round, unit: usualUnit(model.rounds[round], state.group), group: state.round === null ? null : state.group, locked: false };
}

/** The round to speak of: where the dials change the run, else what fired last, was passed over last, or came first. */
function usualRound(model) {
  const last = (holds) => model.rounds.map(holds).lastIndexOf(true);
  const choices = [
    model.rounds.findIndex((round) => round.status === "changed"),
    last((round) => Boolean(round.trigger)),
    last((round) => round.passed.length > 0),
    model.rounds.findIndex((round) => round.before.length > 0),
    model.rounds.length - 1,
  ];
  return choices.find((choice) => choice >= 0) ?? 0;
}

function usualUnit(round, group) {
  if (!round?.window?.units.length) return null;
  const chosen = group !== null && [...round.before, ...round.groups].filter((g) => g.query || g.passages)[group];
  if (chosen && chosen.decision.index !== null && round.status === "followed") return chosen.decision.index;
  if (round.trigger) return round.trigger.index;
  if (round.passed.length) return round.passed.at(-1);
  return round.window.units.reduce((best, unit, i, units) => ((unit.rind || 0) > (units[best].rind || 0) ? i : best), 0);
}

function draw(panels, state) {
  if (!state.payload) return;
  const model = modelOf(state);
  const focus = focusOf(state, model);
  const held = heldTerm(panels);
  state.drawn = focus;
  viewShown(panels.shown, model);
  viewTimeline(panels.timeline, model.replay ? modelOf(state, true) : model, focus, state.upto);
  panels.play.draw(model.trace);
  if (model.rounds.some((round) => round.window)) viewSkyline(panels.rounds, model, focus);
  else { panels.rounds.replaceChildren(emptyNote("when.empty")); panels.rounds.drawnFor = null; }
  viewLegend(panels.legend, model);
  panels.measure.value = model.measure.name;
  viewCard(panels.card, model, focus);
  viewSignals(panels.signals, model, focus);
  viewRowTools(panels.rowTools, model, focus);
  viewAttention(panels.attention, model, focus);
  viewQuery(panels.query, model, focus);
  viewPassages(panels.passages, model, focus);
  viewPrompt(panels.prompt, model, focus);
  viewAnswers(panels.answers, model);
  panels.present.draw(model.trace); // behind the views, which it measures
  held();
}

/** A term that has the keyboard's focus keeps it when its view is drawn anew: call what this returns behind that. */
function heldTerm(panels) {
  const node = document.activeElement;
  const place = node?.matches?.(".term") && Object.values(panels).find((panel) => panel instanceof Element && panel.contains(node));
  if (!place) return () => {};
  const like = `.term[data-term="${node.dataset.term}"]`;
  const at = [...place.querySelectorAll(like)].indexOf(node);
  return () => { if (!node.isConnected) (place.querySelectorAll(like)[at] || place.querySelector(".term"))?.focus({ preventScroll: true }); };
}

function viewShown(root, model) {
  const { trace, recorded, opened } = model.payload;
  root.replaceChildren(
    trace.question ? h("span", "lab", {}, t("shown.question")) : "", h("b", "", {}, trace.question || ""),
    recorded ? h("span", "badge", {}, t("shown.recorded")) : "",
    opened ? h("span", "badge", {}, t("shown.opened")) : "", ...variantBadges(trace.settings || {}),
    model.rounds.some((round) => round.status === "changed") ? h("span", "badge wait", {}, t("shown.preview")) : "",
    recorded ? h("p", "look", {}, h("b", "", {}, t("story.look")), " ", t(`story.${recorded}.look`)) : "");
}

/** The variant, where it is not the paper's, and each switch that differs from it. */
function variantBadges(settings) {
  const { variant = "paper", switches = {} } = settings;
  return [
    ...(variant === "paper" ? [] : [h("span", "badge variant", {}, t("shown.variant", { variant }))]),
    ...Object.entries(switches).map(([name, value]) => h("span", "badge variant", {}, `${name}=${value}`)),
  ];
}

function listen(root, panels, state, later) {
  const tokenOf = (event) => event.target.closest?.("[data-unit]");
  const at = (node) => ({ round: Number(node.dataset.round), unit: Number(node.dataset.unit) });
  for (const name of ["special", "words"]) panels[name].addEventListener("change", () => { state[name] = panels[name].checked; later(); });
  panels.measure.addEventListener("change", () => { state.measure = panels.measure.value; later(); });
  let pointer = "";
  const still = (event) => pointer === (pointer = `${Math.floor(event.screenX)},${Math.floor(event.screenY)}`); // the page moved, not the pointer
  root.addEventListener("click", still, true);
  panels.rounds.addEventListener("pointerover", (event) => { const node = tokenOf(event); if (node && event.pointerType !== "touch" && !still(event)) { state.hovered = at(node); later(); } });
  panels.rounds.addEventListener("pointerleave", () => { state.hovered = null; later(); });
  panels.rounds.addEventListener("focusin", (event) => { const node = tokenOf(event); if (node?.matches(":focus-visible")) { state.hovered = at(node); later(); } });
  panels.rounds.addEventListener("focusout", () => { state.hovered = null; later(); });
  panels.rounds.addEventListener("click", (event) => { const node = tokenOf(event); if (node) lock(panels, state, at(node), later); });
  panels.rounds.addEventListener("keydown", (event) => walk(event, panels, state, later));
  root.addEventListener("keydown", (event) => { if (event.key === "Escape") { state.locked = null; state.hovered = null; later(); } });
  panels.timeline.addEventListener("click", (event) => jump(event, root, panels, state, later));
  for (const kind of ["pointerover", "pointermove"]) root.addEventListener(kind, (event) => linkWord(root, state, wordAt(event, state)));
  root.addEventListener("pointerleave", () => linkWord(root, state, null));
  listenRowTools(panels.rowTools, (choice) => { Object.assign(state, choice); later(); });
  listenSignals(panels.signals, {
    hover: (focus) => { state.hovered = focus; later(); },
    lock: (focus) => lock(panels, state, focus, later),
    dial: (detail) => root.dispatchEvent(new CustomEvent("dragin-dial", { detail, bubbles: true })),
  });
}

function lock(panels, state, focus, later) {
  const same = state.locked?.round === focus.round && state.locked?.unit === focus.unit;
  Object.assign(state, { locked: same ? null : focus, round: focus.round, group: null });
  later();
  requestAnimationFrame(() => requestAnimationFrame(() => {
    panels.said.textContent = same ? t("card.unlocked") : panels.card.querySelector(".formula")?.textContent || "";
  }));
}

const STEPS = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity };

function walk(event, panels, state, later) {
  const node = event.target.closest?.("[data-unit]");
  if (!node || event.ctrlKey || event.metaKey || event.altKey) return;
  const tokensIn = (number) => [...(panels.rounds.children[number]?.querySelectorAll(".tok") || [])];
  let round = Number(node.dataset.round);
  let at = tokensIn(round).indexOf(node);
  if (event.key in STEPS) at += STEPS[event.key];
  else if (event.key === "ArrowDown" || event.key === "ArrowUp") round += event.key === "ArrowDown" ? 1 : -1;
  else return;
  const tokens = tokensIn(round);
  if (tokens.length) {
    const next = tokens[Math.max(0, Math.min(tokens.length - 1, at))];
    state.hovered = { round, unit: Number(next.dataset.unit) };
    if (state.locked) state.locked = state.hovered;
    next.focus();
    later();
  }
  event.preventDefault();
}

function jump(event, root, panels, state, later) {
  const button = event.target.closest?.("[data-panel]");
  if (!button) return;
  if (state.upto !== null) panels.play.go(Number(button.dataset.stepEvent) + 1);
  Object.assign(state, { locked: null, hovered: null, round: Number(button.dataset.stepRound), group: button.dataset.stepGroup === undefined ? null : Number(button.dataset.stepGroup) });
  later();
  reveal(root, button.dataset.panel);
}

function reveal(root, name) {
  root.querySelector(`[data-name="${name}"]`)?.scrollIntoView({ behavior: calm() ? "auto" : "smooth", block: "nearest" });
}
