/* Glue: the tab Compare inside gr.HTML: what to ask of whom, Run and Stop, and the columns. METHODS, WHEN and WHAT are the names. */

const USUAL = ["wo-rag", "sr-rag", "dragin"];
const root = element.querySelector(".compare");
const compared = { columns: [], reference: 0, pairs: [], taken: null, stopped: false };
window.draginCompare = compared;

const question = h("input", "", { id: "compare-question", type: "text", autocomplete: "off", maxlength: 2000, placeholder: t("ask.placeholder") });
const gold = h("input", "", { id: "compare-gold", type: "text", autocomplete: "off", placeholder: t("gold.placeholder") });
const ticks = METHODS.map((name) => {
  const box = h("input", "", { type: "checkbox", value: name, id: `way-${name}` });
  box.checked = USUAL.includes(name);
  return box;
});
const choice = (id, values) => h("select", "", { id, "aria-label": t(id) }, ...values.map((value) => h("option", "", { value }, value)));
const when = choice("compare-when", WHEN);
const what = choice("compare-what", WHAT);
[when.value, what.value] = ["rind", "question"];
const button = (name, className, press) => {
  const node = h("button", className, { type: "button", id: `compare-${name}` }, t(`compare.${name}`));
  node.addEventListener("click", press);
  return node;
};
const add = button("add", "plain", () => { addPair({ when: when.value, what: what.value }); });
const run = button("run", "act main", () => start());
const stop = button("stop", "act", () => halt());
const pairs = h("ul", "pairs", { "aria-label": t("compare.pairs") });
const legend = h("p", "soft compare-legend");
const board = h("div", "ways");

const field = (label, control, className = "") => h("label", `compare-field ${className}`, {}, h("span", "lab", {}, t(label)), control);
root.replaceChildren(
  h("form", "compare-form panel", { novalidate: true }, h("h2", "", {}, h("em", "", {}, t("compare.title")), h("span", "", {}, t("compare.heading"))),
    h("div", "compare-ask", {}, field("ask.label", question, "wide"), field("gold.label", gold), run, stop),
    h("fieldset", "compare-ways", {}, h("legend", "lab", {}, t("compare.methods")), ...ticks.map((box) => h("label", "toggle", { for: box.id }, box, t(`method.${box.value}`)))),
    h("div", "compare-pairs", { role: "group", "aria-label": t("compare.pair") }, h("span", "lab", {}, t("compare.pair")), when, h("span", "soft", { "aria-hidden": "true" }, "×"), what, add, pairs),
    h("p", "soft", {}, t("compare.lead"))),
  legend, board);
root.querySelector("form").addEventListener("submit", (event) => { event.preventDefault(); start(); });

function addPair(pair) {
  if (compared.pairs.some((each) => each.when === pair.when && each.what === pair.what)) return;
  compared.pairs.push(pair);
  drawPairs();
}

function drawPairs() {
  pairs.replaceChildren(...compared.pairs.map((pair) => {
    const name = `${pair.when} × ${pair.what}`;
    const gone = h("button", "", { type: "button", "aria-label": t("compare.remove", { name }) }, "✕");
    gone.addEventListener("click", () => { compared.pairs = compared.pairs.filter((each) => each !== pair); drawPairs(); add.focus(); });
    return h("li", "", {}, name, " ", gone);
  }));
}

/* The question of the other tab is taken over whenever it has become another since. */
const typed = (selector) => document.querySelector(selector)?.value ?? "";
function takeOver() {
  const now = JSON.stringify([typed("#question textarea"), typed("#gold textarea, #gold input")]);
  if (now === compared.taken) return;
  compared.taken = now;
  [question.value, gold.value] = JSON.parse(now);
}

const { act, free, stop: cancel, busy } = oneAtATime(trigger, { overtaken: () => halt() });

function start() {
  if (busy()) return;
  Object.assign(compared, { stopped: false, reference: 0 });
  const ways = [...ticks.filter((box) => box.checked).map((box) => ({ method: box.value })), ...compared.pairs];
  act("submit", { question: question.value, gold: gold.value, ways });
  draw();
}

/** Stop: what is there stays, and what is not written will not be. */
function halt() {
  if (!busy()) return;
  compared.stopped = true;
  cancel();
  draw();
}

const UNFINISHED = ["waiting", "writing"];
function draw() {
  const columns = compared.columns.map((column) => (compared.stopped && UNFINISHED.includes(column.state.name) ? { ...column, state: { name: "stopped" } } : column));
  run.disabled = Boolean(busy());
  stop.disabled = !busy();
  viewColumns(board, columns, { reference: compared.reference, opens: true });
  const base = columns[compared.reference];
  legend.textContent = columns.length > 1 && base?.state.name === "done" ? t("columns.other", { title: base.title }) : "";
  if (!columns.length) board.replaceChildren(h("p", "empty", {}, t("compare.empty")));
}

board.addEventListener("click", ({ target }) => {
  const pressed = target.closest("button");
  if (!pressed) return;
  const { open, reference, lookup } = pressed.dataset;
  if (open !== undefined) trigger("select", { index: Number(open), gold: gold.value });
  if (reference !== undefined) { compared.reference = Number(reference); draw(); }
  if (lookup !== undefined) board.querySelector(`#lookup-${lookup}`)?.focus();
});

const show = () => {
  if (!props.value) return draw();
  if (!compared.columns.length) board.replaceChildren();
  compared.columns = JSON.parse(props.value).columns;
  draw();
};
watch("value", show);
compared.show = (columns) => { compared.columns = columns; draw(); };
window.addEventListener("dragin-compare", takeOver);
window.addEventListener("dragin-compared", () => { free(); draw(); });
takeOver();
show();
