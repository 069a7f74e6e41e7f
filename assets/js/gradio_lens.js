/* Glue: the lens inside gr.HTML. Its value is what was found so far; what is set or asked for goes through the stage. */

const DIAL_OF = { theta: "theta", top_n: "n" };
const view = { over: "theta", at: null, working: false, stopped: false, kept: {} }; // kept: what was found, by axis

const button = h("button", "lens-start", { type: "button", id: "lens-start" });
const axes = ["theta", "top_n"].map((over) => h("button", "", { type: "button", "data-over": over, "aria-pressed": "false", title: t(`lens.over.${over}.help`) }, t(`lens.over.${over}`)));
const status = h("p", "lens-status", { role: "status" });
const chart = svg("svg", { class: "lens-chart", role: "listbox", tabindex: 0, "aria-label": t("lens.chart"), "aria-describedby": "lens-hint" });
const preview = h("p", "lens-preview");
const answers = h("ol", "lens-answers");
const hint = h("p", "soft", { id: "lens-hint" }, t("lens.hint"));
const body = h("div", "lens-body", { hidden: true }, chart, preview, answers, hint);
element.querySelector("div").replaceChildren(h("section", "panel lens", { "data-name": "lens", "aria-label": t("lens.title") },
  h("div", "lens-line", {}, heading("lens"), h("span", "lens-tools", {}, h("span", "lens-axes", { role: "group", "aria-label": t("lens.over") }, ...axes), button)), status, body));

const trace = () => window.draginStage?.state.payload?.trace;
const dialNow = () => window.draginStage?.state[DIAL_OF[view.over]] ?? 0;

/** Whether what was found belongs to the run that is shown: all but the setting in question is the same. */
function fits(found) {
  const now = trace();
  if (!found.question || !now?.question) return Boolean(found.question) && !now?.events.length;
  const settings = now.settings || {};
  const same = (name) => name === found.over || !(name in settings) || JSON.stringify(settings[name]) === JSON.stringify(found.settings[name]);
  return found.question === now.question && Object.keys(found.settings).every(same);
}

function draw() {
  Object.assign(view, { trace: trace(), dial: dialNow() });
  const found = view.kept[view.over] || {};
  const segments = fits(found) ? found.segments || [] : [];
  button.textContent = t(view.working ? "lens.stop" : segments.length ? "lens.again" : "lens.start");
  button.hidden = !view.working && Boolean(found.done) && segments.length > 0;
  for (const axis of axes) axis.setAttribute("aria-pressed", String(axis.dataset.over === view.over));
  const line = statusText(found, segments);
  if (status.textContent !== line) status.textContent = line;
  status.classList.toggle("error", Boolean(found.error));
  body.hidden = !segments.length;
  if (!segments.length) { chart.replaceChildren(); return; }
  const width = Math.max(280, chart.clientWidth || body.clientWidth);
  view.drawn = drawLens(chart, { over: view.over, segments, value: dialNow(), at: view.at, width });
  drawPreview();
  drawAnswers();
}

/** How far it is, and what to do, in words. */
function statusText(found, segments) {
  if (found.error) return found.error;
  if (view.working && found.waiting) return found.waiting;
  if (view.working && !segments.length) return found.tokens ? t("lens.first", { tokens: found.tokens }) : t("lens.begins");
  const count = segments.length;
  const tokens = found.tokens;
  if (view.working && found.shown) return t("lens.shown", { tokens });
  if (view.working) return found.seen ? t("lens.progress", { count, about: Math.max(count + 1, Math.round(count / found.seen)), answers: answersOf(segments).length, tokens }) : t("lens.second", { tokens });
  if (segments.length && !found.done) return t("lens.stopped", { count });
  if (segments.length) return t(count === 1 ? "lens.one" : "lens.done", { count, range: rangeOfAll(segments), answers: answersOf(segments).length, tokens });
  if (found.question) return t("lens.stale");
  return "";
}

/** From where to where all was looked at. */
function rangeOfAll(segments) {
  const low = Math.min(...segments.map((each) => each.low));
  return t(view.over === "theta" ? "lens.range.theta" : "lens.range.n", { low: Number(low.toPrecision(2)), high: Math.max(...segments.map((each) => each.high)) });
}

function drawPreview() {
  const { ordered, present, groups } = view.drawn;
  const segment = ordered[view.at ?? present];
  chart.setAttribute("aria-activedescendant", segment ? `lens-option-${ordered.indexOf(segment)}` : "");
  if (!segment) return preview.replaceChildren(t("lens.unknown"));
  const { letter } = groups.find((group) => group.answer === segment.answer);
  const queries = segment.queries.length ? [h("span", "soft", {}, ` ${t("lens.queries")} `), ...segment.queries.map((query) => h("span", "lens-query", {}, query || t("lens.blank")))] : [];
  preview.replaceChildren(h("b", "", {}, segmentText(view.over, segment, letter)), ...queries);
}

function drawAnswers() {
  const { groups, scale, ordered, present } = view.drawn;
  const mostOf = (group) => group.segments.reduce((most, each) => Math.max(most, each.retrievals), 0);
  const leastOf = (group) => group.segments.reduce((least, each) => Math.min(least, each.retrievals), Infinity);
  const key = JSON.stringify([view.over, groups]);
  const held = answers.contains(document.activeElement) ? document.activeElement.dataset.value : null;
  if (answers.drawnFor !== key) answers.replaceChildren(...groups.map((group) => h("li", `answer-${group.colour}`, {},
    h("span", "lens-badge", { "aria-hidden": "true" }, group.letter),
    h("span", "lens-said", {}, h("span", "sr-only", {}, `${t("lens.answer", { letter: group.letter })}: `), group.answer ? `“${group.answer}”` : t("lens.blank"), " ",
      group.right === null ? "" : h("span", `badge ${group.right ? "right" : "wrong"}`, {}, t(group.right ? "lens.right" : "lens.wrong")), " ",
      h("span", "soft", {}, leastOf(group) === mostOf(group) ? countText(mostOf(group)) : t("lens.between", { least: leastOf(group), most: mostOf(group) }))),
    h("span", "lens-ranges", {}, ...stretchesOf(view.over, group.segments).map((stretch) => rangeButton(stretch, scale))))));
  answers.drawnFor = key;
  groups.forEach((group, k) => answers.children[k].classList.toggle("on", group.segments.includes(ordered[present])));
  if (held && !answers.contains(document.activeElement)) answers.querySelector(`[data-value="${CSS.escape(held)}"]`)?.focus();
}

const countText = (count) => (count === 1 ? t("lens.retrieval") : t("lens.retrievals", { count }));

function rangeButton(stretch, scale) {
  const segment = widest(view.over, stretch.segments, (value) => scale.x(value));
  const range = `${t(view.over === "theta" ? "lens.theta" : "lens.n")} ${rangeText(view.over, stretch)}`;
  return h("button", "lens-range", { type: "button", "data-value": segment.value, title: t("lens.follow") }, range);
}

/** Turn the dial to a value, and follow it. */
function follow(value) {
  const dial = document.querySelector(`#${view.over === "theta" ? "dial-theta" : "dial-n"} input[type=number]`);
  if (value > Number(dial.max) || value < Number(dial.min)) return window.dispatchEvent(new CustomEvent("dragin-notice", { detail: t("lens.beyond", { value, most: dial.max }) }));
  document.querySelector("#stage .dragin").dispatchEvent(new CustomEvent("dragin-dial", { detail: { [DIAL_OF[view.over]]: value, done: true, exact: true }, bubbles: true }));
}

const start = () => {
  view.stopped = false;
  const shown = draginStage.state.payload;
  const now = { theta: draginStage.state.theta, top_n: draginStage.state.n };
  const followed = shown?.trace.settings && Object.entries(now).every(([name, value]) => value === shown.trace.settings[name]);
  view.kept[view.over] = followed ? foundAtOnce(shown, view.over) : {};
  props.value = JSON.stringify({ over: view.over });
  window.dispatchEvent(new CustomEvent("dragin-act", { detail: "expand" }));
};
button.addEventListener("click", () => {
  if (!view.working) return start();
  window.dispatchEvent(new CustomEvent("dragin-halt"));
  ended();
});
function ended() {
  if (!view.working) return;
  view.working = false;
  view.stopped = true;
  draw();
}
for (const axis of axes) axis.addEventListener("click", () => {
  if (axis.dataset.over === view.over) return;
  if (view.working) window.dispatchEvent(new CustomEvent("dragin-halt"));
  Object.assign(view, { over: axis.dataset.over, at: null, working: false });
  draw();
});

/* Pointers and keys on the chart. */
const atOf = (event) => { const node = event.target.closest?.("[data-at]"); return node ? Number(node.dataset.at) : null; };
const choose = (at) => { if (at === view.at) return; view.at = at; draw(); };
chart.addEventListener("pointerover", (event) => { const at = atOf(event); if (at !== null) choose(at); });
chart.addEventListener("pointerleave", () => choose(null));
chart.addEventListener("blur", () => choose(null));
chart.addEventListener("click", ({ clientX, clientY }) => { const at = atOf({ target: document.elementFromPoint(clientX, clientY) }); if (at !== null) follow(view.drawn.ordered[at].value); });
answers.addEventListener("click", (event) => { const node = event.target.closest?.("[data-value]"); if (node) follow(Number(node.dataset.value)); });
chart.addEventListener("keydown", (event) => {
  const { ordered, present } = view.drawn;
  const from = view.at ?? present;
  const steps = { ArrowRight: from + 1, ArrowUp: from + 1, ArrowLeft: from - 1, ArrowDown: from - 1, Home: 0, End: ordered.length - 1 };
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key in steps) choose(Math.max(0, Math.min(ordered.length - 1, steps[event.key])));
  else if ((event.key === "Enter" || event.key === " ") && from >= 0) follow(ordered[from].value);
  else return;
  event.preventDefault();
});

/* What arrives, and what else moves. */
watch("value", () => {
  const found = props.value ? JSON.parse(props.value) : {};
  if (!found.segments && !found.error) return;
  const before = view.kept[found.over]?.segments?.length;
  if (view.at !== null && before !== found.segments?.length) view.at = null; // columns have moved
  const atOnce = view.working && !found.error && !found.segments.length && view.kept[found.over]?.shown;
  view.kept[found.over] = atOnce ? { ...found, shown: true, segments: view.kept[found.over].segments } : found;
  if (found.done || found.error) view.working = false;
  draw();
});
window.addEventListener("dragin-busy", ({ detail }) => {
  if (detail === "expand") { view.working = true; draw(); } else ended();
});
window.addEventListener("dragin-stopped", ended);
let frame = 0;
const later = () => { frame = frame || requestAnimationFrame(() => { frame = 0; draw(); }); };
window.addEventListener("dragin-drawn", () => { if (trace() !== view.trace || dialNow() !== view.dial) later(); });
new ResizeObserver(later).observe(element);
draw();
