/* Glue: the difference view inside gr.HTML. One window under two settings; its value is the comparison, or what is asked. */

const ONE = "one";
const view = { working: false, found: {} };
const pick = (id, label, choices) => h("select", "", { id, "aria-label": label }, ...choices.map(([value, name]) => h("option", "", { value }, name)));
const against = pick("difference-against", t("difference.against"), [...VARIANTS.map((name) => [name, t(`variant.${name}`)]), [ONE, t("difference.one")]]);
const which = pick("difference-switch", t("difference.switch"), SWITCHES.map((each) => [each.name, `${t(`switch.${each.name}`)} (${each.name})`]));
const value = h("select", "", { id: "difference-value", "aria-label": t("difference.value") });
const number = h("input", "", { id: "difference-number", type: "text", maxlength: 8, "aria-label": t("difference.value"), placeholder: t("switches.tokens") });
const button = h("button", "lens-start", { type: "button", id: "difference-start" }, t("difference.start"));
const status = h("p", "lens-status", { role: "status" });
const body = h("div", "difference-body", { hidden: true });
element.querySelector("div").replaceChildren(h("section", "panel lens difference", { "data-name": "difference", "aria-label": t("difference.title") },
  h("div", "lens-line", {}, heading("difference"), h("span", "lens-tools", {}, against, which, value, number, button)), status, body));

const shownNow = () => window.draginStage?.state;
const traceNow = () => shownNow()?.payload?.trace;
const settingsNow = () => ({ variant: "paper", switches: {}, ...traceNow()?.settings });
const inForce = (each, { variant, switches }) => switches[each.name] ?? each.in[variant];
const switchNow = () => SWITCHES.find((each) => each.name === which.value);

/** The round in focus, where it has a window. */
function roundNow() {
  const trace = traceNow();
  const round = trace && roundsOf(trace)[shownNow().drawn?.round ?? 0];
  return round?.window && !round.window.partial ? round : null;
}

function drawChoices() {
  const settings = settingsNow();
  const plain = !Object.keys(settings.switches).length;
  for (const option of against.options) option.disabled = plain && option.value === settings.variant;
  if (against.selectedOptions[0]?.disabled) against.value = settings.variant === "official" ? "paper" : "official";
  const one = against.value === ONE;
  const each = switchNow();
  which.hidden = !one;
  value.hidden = !one || !each.values.length;
  number.hidden = !one || each.values.length > 0;
  if (value.dataset.of !== `${each.name}|${inForce(each, settings)}`) {
    value.dataset.of = `${each.name}|${inForce(each, settings)}`;
    value.replaceChildren(...each.values.filter((other) => other !== inForce(each, settings)).map((other) => h("option", "", { value: other }, other)));
  }
  const round = roundNow();
  button.disabled = !round || view.working;
  button.textContent = round ? t("difference.round", { round: round.number }) : t("difference.start");
}

/** The arguments of the other settings. */
function otherNow() {
  if (against.value !== ONE) return { variant: against.value, switches: {} };
  const { variant, switches } = settingsNow();
  const each = switchNow();
  return { variant, switches: { ...switches, [each.name]: each.values.length ? value.value : number.value.trim() || "none" } };
}

/** Whether the comparison is of the run, the settings and the round that are shown. */
function fits({ question, at, settings }) {
  const trace = traceNow();
  const same = (name) => JSON.stringify(trace.settings?.[name]) === JSON.stringify(settings[name]);
  return Boolean(trace && question === trace.question && roundNow()?.at === at && ["theta", "top_n", "variant", "switches"].every(same));
}

function draw() {
  Object.assign(view, { trace: traceNow(), round: shownNow()?.drawn?.round });
  drawChoices();
  const { found } = view;
  const current = Boolean(found.document) && fits(found);
  status.textContent = found.error || (view.working ? found.waiting || t("difference.works") : found.document && !current ? t("difference.stale") : !roundNow() ? t("difference.empty") : "");
  status.classList.toggle("error", Boolean(found.error));
  body.hidden = !current;
  if (!current || body.drawnFor === found.document) return;
  body.drawnFor = found.document;
  body.replaceChildren(...documentNodes(found.document));
}

/** Which side is which; then text, decision, query, and the switches one by one. */
function documentNodes(told) {
  const [from, to] = [told.from, told.to].map(nameOf);
  const unchanged = told.changes.length ? "" : h("p", "", {}, t("difference.nothing"));
  const hidden = told.only_in_a_run.length ? h("p", "soft", {}, t("difference.hidden"), " ", told.only_in_a_run.map((name) => `${t(`switch.${name}`)} (${name})`).join(", "), ".") : "";
  return [
    h("p", "difference-key", {}, h("span", "difference-first", {}, h("i", "", { "aria-hidden": "true" }), t("difference.first", { name: from })), h("span", "difference-second", {}, h("i", "", { "aria-hidden": "true" }), t("difference.second", { name: to }))),
    unchanged, textNode(told), ...outcomes(told), h("h3", "", {}, t("difference.steps")), h("ol", "difference-steps", {}, ...told.steps.map(stepNode)), hidden,
  ].filter(Boolean);
}

function nameOf({ variant, switches }) {
  return [variant, ...Object.entries(switches).map(([name, set]) => `${name}=${set}`)].join(", ");
}

/** The window's text; over each unit whose score changes a bar for either. */
function textNode({ text, units }) {
  const most = Math.max(1e-9, ...units.flatMap((unit) => [unit.from ?? 0, unit.to ?? 0]));
  const nodes = [];
  let at = 0;
  for (const unit of units) {
    nodes.push(...plain(part(text, at, unit.start)), ...(/^\s/.test(unit.text) ? [" "] : []), unitNode(unit, most));
    at = unit.end;
  }
  return h("div", "difference-text", {}, ...nodes, ...plain(part(text, at)));
}

/** Text that stands on the line of the units, its words apart so that it can break. */
function plain(text) {
  return text.split(/(\s+)/).map((piece) => (piece.trim() ? h("span", "difference-plain", {}, piece) : piece));
}

function unitNode({ text, from, to }, most) {
  const bar = (name, score) => h("i", name, { "--share": ((score ?? 0) / most).toFixed(4) });
  return h("span", "difference-unit", {},
    h("span", "difference-bars", { "aria-hidden": "true" }, bar("first", from), bar("second", to)),
    h("span", "txt", {}, shown(text)),
    h("small", "", {}, `${short(from)}→${short(to)}`));
}

const short = (score) => (score === null ? "–" : score >= 1 ? score.toFixed(1) : score.toFixed(2).replace(/^0/, ""));

/** Decision and query, before and after. */
function outcomes({ decision, query, changes }) {
  const said = (key) => (!changes.includes(key) ? "difference.stays" : key === "decision" && sameInWords(decision) ? "difference.does.unit" : "difference.changes");
  const pair = (key, nodes) => h("div", `difference-pair${changes.includes(key) ? " changed" : ""}`, {}, h("h3", "", {}, t(`difference.${key}`), " ", h("span", "badge", {}, t(said(key)))), ...nodes);
  return [
    pair("decision", both(decision, (each) => decisionText(each))),
    pair("query", both(query, queryText)),
  ];
}

const both = ({ from, to }, told) => ["first", "second"].map((side, k) => h("p", `difference-${side}`, {}, h("i", "", { "aria-hidden": "true" }), told(k ? to : from)));

function decisionText({ retrieve, kept_text: kept, sentence_words: words, flags }) {
  if (!retrieve) return t("difference.quiet");
  const flagged = (words || []).filter((word, k) => flags?.[k]).map((word) => `“${word}”`).join(", ");
  const keeps = kept ? t("difference.keeps", { text: kept.trim() }) : t("difference.keeps.none");
  return flagged ? t("difference.fires.words", { words: flagged, keeps }) : t("difference.fires", { keeps });
}

/** Whether a decision differs in its unit alone: another one fires, and as much is kept. */
const sameInWords = ({ from, to }) => decisionText(from) === decisionText(to);

function queryText(query) {
  return query === null ? t("difference.noquery") : query ? `“${query}”` : t("lens.blank");
}

function stepNode(step) {
  const unitOnly = step.changes.includes("decision") && sameInWords(step.decision);
  const names = step.changes.map((name) => (name === "decision" && unitOnly ? "unit" : name));
  const what = (names.length ? names : ["nothing"]).flatMap((name) => [h("span", `badge does-${name}`, {}, t(`difference.does.${name}`)), " "]);
  const detail = [
    step.changes.includes("decision") && !unitOnly ? h("p", "", {}, `${decisionText(step.decision.from)} → ${decisionText(step.decision.to)}`) : "",
    step.changes.includes("query") ? h("p", "", {}, `${queryText(step.query.from)} → ${queryText(step.query.to)}`) : "",
  ];
  const about = SWITCHES.find((each) => each.name === step.switch)?.help || "";
  return h("li", step.changes.length ? "does" : "", { "data-switch": step.switch },
    h("p", "", { title: about }, h("b", "", {}, t(`switch.${step.switch}`)), " ", h("code", "", {}, `${step.switch}: ${step.from} → ${step.to}`), " ", ...what), ...detail);
}

button.addEventListener("click", () => {
  const round = roundNow();
  if (!round) return;
  view.found = {};
  props.value = JSON.stringify({ at: round.at, ...otherNow() });
  window.dispatchEvent(new CustomEvent("dragin-act", { detail: "apply" }));
});
for (const each of [against, which]) each.addEventListener("change", draw);
watch("value", () => {
  const found = props.value ? JSON.parse(props.value) : {};
  if (!found.document && !found.error && !found.waiting) return;
  if (found.document || found.error) view.working = false;
  view.found = found;
  draw();
});
window.addEventListener("dragin-busy", ({ detail }) => { view.working = detail === "apply"; draw(); });
window.addEventListener("dragin-stopped", () => { view.working = false; draw(); });
let frame = 0;
const later = () => { frame = frame || requestAnimationFrame(() => { frame = 0; draw(); }); };
window.addEventListener("dragin-drawn", () => { if (traceNow() !== view.trace || shownNow().drawn?.round !== view.round) later(); });
draw();
