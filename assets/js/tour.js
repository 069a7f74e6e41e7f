/* The tour: steps through the live page, each with something to try and a sign that it was done. */

const TOUR_STORE = "dragin-tour";
const FIRST_STORY = "1-fires-and-mends";

/* Where a visitor is, kept in the browser where it lets us. */
function recallTour(steps) {
  let kept = null;
  try { kept = JSON.parse(localStorage.getItem(TOUR_STORE)); } catch { kept = null; }
  const at = Number.isInteger(kept?.at) && kept.at > 0 && kept.at < steps.length ? kept.at : 0;
  return { at, done: new Set(steps.map((step) => step.key).filter((key) => Array.isArray(kept?.done) && kept.done.includes(key))) };
}

function keepTour({ at, done }) {
  try { localStorage.setItem(TOUR_STORE, JSON.stringify({ at, done: [...done] })); } catch { /* private windows keep nothing: the tour begins anew there */ }
}

const stageState = () => window.draginStage?.state;
const onStage = (selector) => document.querySelector(`#stage ${selector}`);

/** The unit that a person points at or keeps; null where the page chose it. */
function pointedUnit() {
  const { payload, hovered, locked } = stageState() || {};
  const focus = hovered || locked;
  return (focus && roundsOf(payload.trace)[focus.round]?.window?.units[focus.unit]) || null;
}

/** How far the playhead is, as the type of the newest step; "" where the whole run is shown. */
function playedTo() {
  const { payload, upto } = stageState();
  return upto ? payload.trace.events[upto - 1]?.type : "";
}

const methodShown = () => document.querySelector("#method input")?.value;

/* Whether a step was done; `before` is what `TOUR_BEFORE` said when it began. Those that events tell are not here. */
const TOUR_SIGNS = {
  tall: () => (pointedUnit()?.rind ?? 0) > stageState().theta,
  stop: () => pointedUnit()?.semantic === 0,
  pending: () => Boolean(pointedUnit()?.pending),
  n: (before) => stageState().n !== before,
  played: () => playedTo() === "cut",
  quiet: () => Boolean(onStage(".tok")) && !onStage(".round:not(.later) .tok.fires"),
  method: (before) => methodShown() !== before,
  switches: () => Boolean(document.querySelector("#switches details[open]")),
};
const TOUR_BEFORE = { n: () => stageState().n, method: methodShown };

/* What must be on the stage for a step; else the first recorded run is shown again. */
const TOUR_NEEDS = {
  tokens: () => onStage(".tok"),
  fires: () => onStage(".round:not(.later) .tok.fires"),
  cut: () => onStage(".prompt-column + .prompt-column .section"),
  pending: () => onStage(".round .tok.pending"),
};

/* What the panel repeats of a part that may lie outside the window. */
const TOUR_ECHO = {
  query: () => onStage(".query .chips")?.getAttribute("aria-label") || t("tour.echo.none"),
  caption: () => onStage(".caption")?.textContent || "",
  fires: () => [...document.querySelectorAll("#stage .round:not(.later) .tok.fires .txt")].map((node) => `“${node.textContent.trim()}”`).join(", ") || t("tour.echo.none"),
};

/**
 * @param steps of assets/learn.en.json
 * @param spot the spotlight it shows them with
 * @param hooks {explore(), story(name), ended()}: open the tab with the stage, show a recorded run, the tour was left
 */
function mountTour(steps, spot, hooks) {
  const memory = recallTour(steps);
  let step = null;
  let before = null;
  let parts = {};

  function go(at) {
    if (at >= steps.length) { memory.at = 0; return leave(); }
    memory.at = Math.max(0, at);
    keepTour(memory);
    step = steps[memory.at];
    hooks.explore();
    prepare();
    before = TOUR_BEFORE[step.sign]?.();
    parts = tourParts(step, memory.at, steps.length, { go, leave, goThere, choose });
    spot.show(() => document.querySelector(scoped(step.target)), parts.nodes);
    mark(memory.done.has(step.key));
    check();
    parts.title.focus({ preventScroll: true });
  }

  /** What the step is about has to be there: a recorded run brings it, all of it shown. */
  function prepare() {
    const state = stageState();
    if (step.story && state?.payload?.recorded !== step.story) return hooks.story(step.story);
    if (state?.upto !== null && !["player", "prompt"].includes(step.key)) onStage(".player-all")?.click();
    if (step.echo === "query") window.draginStage.set({ locked: null, hovered: null }); // the trigger's, not that of a token pointed at
    const need = TOUR_NEEDS[step.needs || "tokens"];
    if (!step.story && !need()) hooks.story(FIRST_STORY);
  }

  function goThere() {
    const part = document.querySelector(scoped(step.target));
    const node = part && [...part.querySelectorAll(step.go)].find((each) => !each.disabled);
    if (!node) return;
    node.focus({ preventScroll: true });
    reach(part, spot.panel);
  }

  /** Look whether the step was done; repeat what is out of sight. */
  function check() {
    if (!step || !stageState()?.payload) return;
    if (TOUR_ECHO[step.echo]) say(parts.echo, t(`tour.echo.${step.echo}`, { text: TOUR_ECHO[step.echo]() }));
    if (!parts.marked && TOUR_SIGNS[step.sign]?.(before)) mark(true);
  }

  function mark(done) {
    if (!done) return;
    parts.marked = true;
    memory.done.add(step.key);
    keepTour(memory);
    say(parts.sign, t("tour.done"));
    parts.next.textContent = t(memory.at + 1 < steps.length ? "tour.next" : "tour.end");
    parts.next.classList.add("primary");
  }

  function choose(choice, node) {
    for (const each of parts.choices) each.setAttribute("aria-pressed", each === node);
    parts.why.textContent = choice.why;
    if (choice.right) mark(true);
  }

  function leave() {
    if (!step) return;
    spot.hide();
    step = null;
    keepTour(memory);
    hooks.ended();
  }

  window.addEventListener("dragin-defined", ({ detail }) => { if (step?.sign === "defined" && detail.from.closest(step.target)) mark(true); });
  const ran = () => { if (step?.sign === "run") mark(true); };
  window.addEventListener("dragin-act", ran);
  window.addEventListener("click", (event) => { if (event.target.closest?.("#do-run, #do-step")) ran(); }, true); // that run may be under way already
  return { memory, go, leave, check };
}

/** A step's selector, on the stage where it names a part of it. */
function scoped(selector) {
  return selector.startsWith("#") ? selector : `#stage ${selector}`;
}

function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** The nodes of a step's panel; the panel's own arrows turn the pages. */
function tourParts(step, at, count, { go, leave, goThere, choose }) {
  const button = (key, act, className = "") => {
    const node = h("button", className, { type: "button", "data-tour": key }, t(`tour.${key}`));
    node.addEventListener("click", act);
    return node;
  };
  const title = h("h2", "spot-title", { id: "spot-title", tabindex: -1 }, step.title);
  const [sign, echo, why] = [h("p", "spot-sign", { role: "status" }), h("p", "spot-echo", {}), h("p", "spot-why", { role: "status" })];
  const choices = (step.choices || []).map((choice) => {
    const node = h("button", "spot-choice", { type: "button", "aria-pressed": false }, choice.text);
    node.addEventListener("click", () => choose(choice, node));
    return node;
  });
  const next = button("skip", () => go(at + 1), "spot-next");
  const back = button("back", () => go(at - 1));
  back.disabled = at === 0;
  const nodes = [
    h("p", "spot-place", {}, h("span", "", {}, t("tour.place", { step: at + 1, count })), button("leave", leave, "plain")),
    h("div", "spot-body", {}, title, h("p", "", {}, step.text), h("p", "spot-try", {}, h("b", "", {}, t("tour.try")), ` ${step.try}`),
      h("div", "spot-choices", {}, ...choices), why, echo, sign),
    h("div", "spot-foot", {}, back, button("go", goThere), next),
    h("p", "spot-keys", {}, t("tour.keys")),
  ];
  const turn = (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by || event.ctrlKey || event.metaKey || event.altKey || (by < 0 && at === 0)) return;
    event.preventDefault();
    go(at + by);
  };
  for (const node of nodes) node.addEventListener("keydown", turn);
  return { nodes, title, sign, echo, why, choices, next, marked: false };
}
