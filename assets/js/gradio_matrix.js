/* Glue: the ablation matrix inside gr.HTML. WHENS, WHATS and SOME_EXAMPLES are given; the question is the tab's. */

const root = element.querySelector(".matrix");
let filled = { cells: {} };
const typed = (selector) => document.querySelector(selector)?.value ?? "";
const which = h("select", "", { id: "matrix-questions" }, h("option", "", { value: 1 }, t("matrix.one")),
  ...SOME_EXAMPLES.map((count) => h("option", "", { value: count }, t("matrix.examples", { count }))));
const run = h("button", "act main", { type: "button", id: "matrix-run" }, t("matrix.run"));
const stop = h("button", "act", { type: "button", id: "matrix-stop" }, t("compare.stop"));
const cost = h("p", "soft", { id: "matrix-cost" });
const board = h("div", "matrix-board", { tabindex: 0, role: "region", "aria-label": t("matrix.title") });
const story = h("p", "matrix-story", { role: "status" });
root.replaceChildren(h("div", "panel", {}, heading("matrix"),
  h("div", "compare-ask", {}, h("label", "compare-field", { for: which.id }, h("span", "lab", {}, t("matrix.questions")), which), run, stop), cost, board, story));

const { act, free, stop: cancel, busy } = oneAtATime(trigger, { overtaken: () => halt() });
const draw = () => {
  run.disabled = Boolean(busy());
  stop.disabled = !busy();
  viewMatrix(board, busy() ? filled : { ...filled, now: null }, WHENS, WHATS);
};
const tellCost = () => {
  const length = typed("#dial-length input[type=number]");
  cost.textContent = t(Number(which.value) === 1 ? "matrix.cost.one" : "matrix.cost", { pairs: WHENS.length * WHATS.length, runs: WHENS.length * WHATS.length * Number(which.value), count: which.value, length });
};
function halt() {
  if (!busy()) return;
  cancel();
  stop.disabled = true;
}
run.addEventListener("click", () => {
  if (busy()) return;
  story.textContent = "";
  act("submit", { question: typed("#compare-question"), gold: typed("#compare-gold"), count: Number(which.value) });
  draw();
});
stop.addEventListener("click", halt);
which.addEventListener("change", tellCost);
for (const kind of ["pointerover", "focusin"]) {
  board.addEventListener(kind, ({ target }) => {
    const pair = target.closest("td")?.querySelector("[data-pair]")?.dataset.pair;
    if (pair) story.textContent = cellStory(pair, filled.cells[pair]);
  });
}
watch("value", () => { if (props.value) { filled = JSON.parse(props.value); draw(); } });
window.addEventListener("dragin-filled", () => { free(); draw(); });
window.addEventListener("dragin-compare", tellCost);
tellCost();
draw();
