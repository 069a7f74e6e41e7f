/* The steps of the run so far, in the order they happened, one per event: When → What → With → prompt → write on. */

/** Draw the steps; those behind the playhead (`upto` events, null: all) are still ahead. */
function viewTimeline(root, model, focus, upto = null) {
  const steps = stepsOf(model);
  if (!steps.length) return root.replaceChildren(h("li", "step none", {}, t("timeline.empty")));
  const focused = [...root.children].findIndex((step) => step.contains(document.activeElement));
  root.replaceChildren(...steps.map((step, i) => h("li", `step ${step.kind}${step.pending ? " pending" : ""}${step.stale ? " stale" : ""}${step.round === focus.round ? " here" : ""}${upto !== null && i >= upto ? " ahead" : ""}${i + 1 === upto ? " now" : ""}`, { "aria-current": i + 1 === upto ? "step" : null },
    h("button", "", { type: "button", "data-step-round": step.round, "data-step-group": step.group, "data-step-event": i, "data-panel": step.panel },
      h("span", "number", {}, step.pending ? "…" : String(i + 1)), h("span", "word", {}, step.name, h("small", "", {}, step.detail, step.edited ? ` · ${t("edit.hand")}` : ""))))));
  root.children[focused]?.querySelector("button")?.focus({ preventScroll: true });
  if (root.counted !== steps.length) fitTimeline(root, steps.length);
}

/** More than two rows become one that scrolls, to the newest step. */
function fitTimeline(root, count) {
  root.counted = count;
  root.classList.remove("long");
  const rows = new Set([...root.children].map((step) => step.offsetTop)).size;
  root.classList.toggle("long", rows > 2);
  root.tabIndex = rows > 2 ? 0 : -1;
  root.scrollLeft = root.scrollWidth;
}

function stepsOf(model) {
  const steps = [];
  model.rounds.forEach((round, r) => {
    let g = -1;
    const add = (kind, detail, panel, more = {}) => steps.push({ edited: Boolean(model.trace.events[steps.length]?.edited), kind, name: t(`timeline.${kind}`), detail, panel, round: r, stale: round.status === "later", ...more });
    const groups = (list) => list.forEach((group) => {
      if (group.query || group.passages) g += 1;
      groupSteps(group, round, model, (kind, detail, panel) => add(kind, detail, panel, { group: Math.max(0, g) }));
    });
    groups(round.before);
    if (round.window) {
      const count = round.window.units.length;
      add("write", t(count === 1 ? "timeline.token" : "timeline.tokens", { count }), "when", { pending: round.window.partial });
    }
    groups(round.groups);
    if (round.cut) add("rewrite", t(round.unchecked ? "timeline.sentence" : round.groups.at(-1)?.decision.retrieve ? "timeline.rewritten" : "timeline.window"), "prompt");
    if (round.finished) add("stop", t(`reason.short.${knownReason(round.finished.reason)}`), "answer");
  });
  return steps;
}

function groupSteps(group, round, model, add) {
  const { decision, query, passages } = group;
  if (decision.retrieve) {
    const unit = round.window?.units[decision.index];
    add("when", unit && decision.index !== null ? t(model.dragin ? "timeline.fires" : "timeline.place", { token: shown(unit.text) }) : t("timeline.upfront"), "when");
  } else add("quiet", t(has(`timeline.quiet.${decision.reason}`) ? `timeline.quiet.${decision.reason}` : "timeline.never"), "when");
  if (query) {
    const count = query.text ? query.text.split(" ").length : 0;
    add("what", t(count === 1 ? "timeline.word" : "timeline.words", { count }), "what");
  }
  if (passages) {
    const count = passages.items.length;
    const detail = accepted(group, model.switches) ? t(count === 1 ? "timeline.passage" : "timeline.passages", { count }) : t(`timeline.${passages.evidence}`);
    add("with", detail, "with");
  }
}

const REASONS = ["eos", "question", "budget", "context", "empty answer", "still thinking", "answer given", "no growth"];

function knownReason(reason) {
  return REASONS.includes(reason) ? reason.replace(" ", "-") : "other";
}
