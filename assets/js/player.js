/* Watching a run again: a playhead over its events, and over the tokens of the window that is being written. */

const SPEEDS = [0.5, 1, 2, 4];
const TOKEN_MS = 70;
const EVENT_MS = 2200;
const PANELS = { window: "when", decision: "when", query: "what", passages: "with", cut: "prompt", finished: "answer" };

/** The controls in `root`; `state` is the stage's: it gains `upto`, `written` and `playing`. `redraw` draws, `reveal` shows a panel. */
function mountPlayer(root, state, redraw, reveal) {
  const button = (name, sign) => h("button", `player-${name}`, { type: "button", "aria-label": t(`player.${name}`), title: t(`player.${name}`) }, sign);
  const buttons = { first: button("first", "❘◂"), back: button("back", "◂"), play: button("play", "▶\ufe0e"), next: button("next", "▸"), all: button("all", "▸❘") };
  const speed = h("select", "", { "aria-label": t("player.speed") }, ...SPEEDS.map((value) => h("option", "", { value, selected: value === 1 }, `${value}×`)));
  const caption = h("p", "caption", { role: "status" });
  root.replaceChildren(h("div", "player-buttons", { role: "group", "aria-label": t("player.label") }, ...Object.values(buttons), speed, whatIs("players")), caption);
  let timer = 0;

  const events = () => state.payload?.trace.events || [];
  const at = () => state.upto ?? events().length;
  const pause = () => { clearTimeout(timer); timer = 0; state.playing = false; };
  const later = (ms) => { timer = setTimeout(tick, ms / Number(speed.value)); };

  /** Stand behind the first `upto` events; all of them is the run as it is. */
  function go(upto, written = null) {
    state.upto = upto >= events().length && written === null ? null : Math.max(0, upto);
    Object.assign(state, { written, locked: null, hovered: null, round: null, group: null });
    redraw();
  }

  function tick() {
    const here = at();
    if (state.written === null) return forward();
    const end = tokensBefore(events(), here - 1);
    if (state.written >= end) return forward();
    go(here, state.written + 1);
    later(state.written >= end ? EVENT_MS / 2 : TOKEN_MS);
  }

  function forward() {
    const upto = at() + 1;
    if (upto > events().length) { go(events().length); return stop(); }
    const event = events()[upto - 1];
    const writes = event.type === "window" && event.units.length > 1 && !calm();
    go(upto, writes ? 1 : null);
    if (!writes) reveal(PANELS[event.type]);
    if (upto >= events().length && !writes) return stop();
    later(writes ? TOKEN_MS : EVENT_MS);
  }

  function stop() {
    pause();
    redraw();
  }

  function play() {
    if (state.playing) return stop();
    if (!events().length) return;
    state.playing = true;
    if (at() >= events().length) go(0);
    forward();
  }

  buttons.play.addEventListener("click", play);
  buttons.first.addEventListener("click", () => { pause(); go(Math.min(1, events().length)); });
  buttons.back.addEventListener("click", () => { pause(); go(Math.max(1, at() - (state.written === null ? 1 : 0))); });
  buttons.next.addEventListener("click", () => { pause(); if (at() < events().length || state.written !== null) go(at() + (state.written === null ? 1 : 0)); });
  buttons.all.addEventListener("click", () => { pause(); go(events().length); });

  return {
    go(upto) { pause(); go(upto); },
    /** Another run, or one that is being written: everything it has is shown. */
    reset() { pause(); Object.assign(state, { upto: null, written: null }); },
    draw(trace) {
      const count = events().length;
      root.hidden = !count || state.live;
      buttons.play.textContent = state.playing ? "❚❚" : "▶\ufe0e";
      buttons.play.setAttribute("aria-label", t(state.playing ? "player.pause" : "player.play"));
      buttons.play.title = buttons.play.getAttribute("aria-label");
      buttons.first.disabled = buttons.back.disabled = at() <= 1 && state.written === null;
      buttons.next.disabled = buttons.all.disabled = at() >= count && state.written === null;
      const told = captionOf(trace, state);
      if (caption.textContent !== told) caption.textContent = told;
    },
  };
}

function calm() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** What the newest step of a trace is, in a sentence. */
function captionOf(trace, state) {
  if (state.upto === null && !state.playing && !state.presenting) return t("caption.all");
  const events = trace.events;
  const event = events.at(-1);
  if (!event) return t("caption.start");
  const window = events.findLast((each) => each.type === "window");
  const trigger = events.findLast((each) => each.type === "decision");
  const token = window && trigger?.retrieve ? shown(window.units[trigger.index]?.text || "") : "";
  if (event.edited && event.type !== "window") {
    const ignored = window && event.type === "decision" && !event.retrieve ? shown(window.units[event.index]?.text || "") : token;
    const name = event.type === "decision" ? (event.retrieve ? "fire" : "ignore") : event.type === "cut" ? "prompt" : event.type;
    return t(`caption.hand.${name}`, { token: ignored, query: event.sent, count: event.items?.length });
  }
  const said = {
    window: () => t(window.round > 1 ? "caption.continue" : "caption.write"),
    decision: () => (!event.retrieve ? t(has(`caption.${event.reason}`) ? `caption.${event.reason}` : "caption.quiet") : event.index === null ? t("caption.upfront") : t(!isRind(trace.settings) ? "caption.place" : event.sentence ? "caption.sentence" : "caption.when", { token, score: NUMBERS.score(event.score), theta: thetaText(trace.settings.theta) })),
    query: () => t(!isQfs(trace.settings) && token ? "caption.asks" : token ? "caption.what" : "caption.question", { token, query: event.text }),
    passages: () => t(`caption.with.${event.evidence === "same" && accepted({ passages: event }, state.payload.facts.switches) ? "again" : event.evidence}`, { count: event.items.length, title: event.items[0]?.title || t("passages.untitled") }),
    cut: () => t(trigger?.retrieve ? "caption.rewrite" : trigger?.reason === "kept unchecked" ? "caption.sentence.kept" : "caption.window.kept", { token }),
    finished: () => t("caption.done"),
  };
  return said[event.type]();
}
