/* Presentation: the views there are, one at a time and large, in the order of the story. Where it stands is the player's
   playhead: each event of the run has one view, and before the first stands the question. */

const PRESENTED = { window: "when", decision: "card", query: "what", passages: "with", cut: "prompt", finished: "answer" };
const PRESENT_KEYS = { ArrowRight: 1, PageDown: 1, " ": 1, ArrowLeft: -1, PageUp: -1, Home: -Infinity, End: Infinity };

/** The view of the place behind the first `at` events. */
function presentedView(events, at) {
  const event = events[at - 1];
  if (!event) return "question";
  return event.type === "decision" && event.retrieve && event.index === null ? "when" : PRESENTED[event.type] || "when";
}

/** What the newest step speaks of: the newest round, and in it what fires, was passed over, or scores highest. */
function presentedFocus(model) {
  const round = Math.max(0, model.rounds.length - 1);
  return { round, unit: usualUnit(model.rounds[round], null) };
}

/** @returns {{draw(trace)}} `player` is that of player.js, `later` redraws */
function mountPresentation(root, panels, state, player, later) {
  const button = (key, by) => {
    const node = h("button", `present-${key}`, { type: "button" }, t(`present.${key}`));
    node.addEventListener("click", () => move(by));
    return node;
  };
  const [back, next] = [button("back", -1), button("next", 1)];
  const leave = h("button", "present-leave", { type: "button" }, t("present.leave"));
  const stops = h("ol", "present-stops", { "aria-label": t("present.stops") });
  const bar = h("div", "present-bar", {}, back, stops, next, leave);
  const question = h("section", "panel question-view", { "aria-label": t("present.asked"), "data-name": "question", tabindex: -1 });
  root.append(question, bar);
  let asleep = [];
  let before = null;
  let stopped = null;

  const events = () => state.payload?.trace.events || [];
  const at = () => state.upto ?? events().length;
  const move = (by) => { if (!state.live) player.go(Math.max(0, Math.min(events().length, at() + by))); };

  function enter() {
    before = { focus: document.activeElement, scroll: scrollY };
    state.presenting = true;
    root.classList.add("presenting");
    root.setAttribute("popover", "manual"); // the top layer: no ancestor can clip or shift it
    root.showPopover();
    asleep = besidesOf(root);
    for (const node of asleep) node.inert = true;
    document.documentElement.classList.add("has-presentation");
    Object.assign(state, { locked: null, hovered: null });
    if (!state.live) player.go(0);
    next.focus();
    later();
  }

  function quit() {
    state.presenting = false;
    for (const panel of root.querySelectorAll(".panel")) { panel.style.zoom = ""; panel.classList.remove("goes-on"); }
    player.go(events().length);
    root.hidePopover();
    root.removeAttribute("popover");
    root.classList.remove("presenting");
    for (const node of asleep) node.inert = false;
    document.documentElement.classList.remove("has-presentation");
    scrollTo(0, before.scroll);
    (before.focus?.isConnected ? before.focus : panels.start).focus({ preventScroll: true });
    later();
  }

  function keys(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (!state.presenting) {
      if (event.key.toLowerCase() === "p" && root.checkVisibility() && !document.body.classList.contains("spotlit")) { event.preventDefault(); enter(); }
      return;
    }
    if (event.key === "Escape" || event.key.toLowerCase() === "p") { event.preventDefault(); return quit(); }
    const down = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (down) { event.preventDefault(); return panelOf(root)?.scrollBy(0, down * 0.6 * panelOf(root).clientHeight); }
    const by = PRESENT_KEYS[event.key];
    if (by === undefined || (event.key === " " && event.target.closest?.("button") && !event.target.closest(".present-bar"))) return;
    event.preventDefault();
    move(event.shiftKey && event.key === " " ? -1 : by);
  }

  panels.start.addEventListener("click", enter);
  leave.addEventListener("click", quit);
  document.addEventListener("keydown", keys);
  stops.addEventListener("click", (event) => { const node = event.target.closest("[data-stop]"); if (node) player.go(Number(node.dataset.stop)); });
  root.addEventListener("keyup", (event) => { if (state.presenting && event.key === " " && event.target.closest?.(".present-bar")) event.preventDefault(); });

  return {
    draw(trace) {
      if (!state.presenting) return;
      const view = presentedView(events(), at());
      root.dataset.view = view;
      if (stopped !== at()) panelOf(root)?.scrollTo(0, 0);
      stopped = at();
      question.replaceChildren(h("p", "lab", {}, t("present.asked")), h("p", "asked", {}, trace.question || t("present.empty")));
      drawStops(stops, events(), at());
      fitView(panelOf(root));
      back.disabled = at() === 0;
      next.disabled = at() >= events().length;
    },
  };
}

const SMALLEST = 0.6; // of its size; what is longer still scrolls, as a fading edge tells

/** Make a view as small as it must be to be seen whole. */
function fitView(panel) {
  if (!panel) return;
  panel.style.zoom = "";
  for (let zoom = 1; zoom > SMALLEST && panel.scrollHeight > panel.clientHeight + 2;) {
    zoom = Math.max(SMALLEST, zoom - 0.08);
    panel.style.zoom = zoom.toFixed(2);
  }
  panel.classList.toggle("goes-on", panel.scrollHeight > panel.clientHeight + 2);
}

function isTyping(node) {
  return Boolean(node?.closest?.("input:not([type=checkbox], [type=range], [type=radio]), textarea, select, [contenteditable=true]"));
}

/** The panel that is shown. */
function panelOf(root) {
  return [...root.querySelectorAll(".panel")].find((panel) => panel.checkVisibility());
}

/** Everything beside a node and its ancestors, but for what explains its words. */
function besidesOf(node) {
  const found = [];
  for (let each = node; each !== document.body; each = each.parentElement) {
    found.push(...[...each.parentElement.children].filter((other) => other !== each && !other.inert && !other.matches(".glossary, script, style")));
  }
  return found;
}

function drawStops(root, events, at) {
  const key = events.map((event) => event.type).join();
  if (root.drawnFor !== key) {
    const count = events.length + 1;
    root.replaceChildren(...Array.from({ length: count }, (_, stop) => {
      const view = presentedView(events, stop);
      const name = t("present.stop", { step: stop + 1, count, name: t(`present.name.${view}`) });
      return h("li", "", {}, h("button", `dot dot-${view}`, { type: "button", "data-stop": stop, "aria-label": name, title: name }));
    }));
    root.drawnFor = key;
  }
  [...root.children].forEach((item, stop) => {
    item.firstChild.classList.toggle("past", stop < at);
    if (stop === at) item.firstChild.setAttribute("aria-current", "step");
    else item.firstChild.removeAttribute("aria-current");
  });
}
