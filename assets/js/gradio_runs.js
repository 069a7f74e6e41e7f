/* Glue: the runs of this visit inside gr.HTML. The value is {runs: [{id, name, question, …, depth, current}]}. */

const panel = element.querySelector(".runs-of-page");
panel.setAttribute("aria-label", t("runs.title"));
const ticked = new Set();
let renaming = null;

const act = (key, name, run, more = {}) => {
  const node = h("button", "edit-button", { type: "button", "data-run": key, "aria-label": `${t(`runs.${key}`)}: ${run.name}` }, t(`runs.${key}`));
  node.addEventListener("click", () => name(more));
  return node;
};

function runNode(run) {
  const details = [run.method, run.finished ? "" : t("runs.stopped", { count: run.steps }), t(run.retrievals === 1 ? "runs.retrieval" : "runs.retrievals", { count: run.retrievals })];
  const verdict = run.right === true || run.right === false ? h("span", run.right ? "badge right" : "badge wrong", {}, t(run.right ? "verdict.right" : "verdict.wrong")) : "";
  return h("li", run.current ? "run current" : "run", { "--depth": Math.min(run.depth, 6), "data-id": run.id, "aria-current": run.current ? "true" : null },
    renaming === run.id ? nameEntry(run) : h("p", "run-head", {}, tickBox(run), h("b", "run-name", {}, run.name), run.current ? h("span", "badge", {}, t("runs.current")) : "", verdict,
      h("span", "run-actions", {}, act("open", () => trigger("select", { id: run.id }), run), act("rename", () => { renaming = run.id; paint(); panel.querySelector(".run-rename input").select(); }, run), act("delete", () => trigger("delete", { id: run.id }), run))),
    h("p", "soft", {}, [run.question, ...details].filter(Boolean).join(" · ")), h("p", "run-answer", {}, run.answer || "–"));
}

function nameEntry(run) {
  const entry = h("input", "", { type: "text", value: run.name, maxlength: 80, "aria-label": t("runs.name") });
  const form = h("form", "run-rename edit-row", {}, entry, h("button", "edit-button", { type: "submit" }, t("runs.keep")));
  const close = () => { renaming = null; paint(); panel.querySelector(`[data-id="${CSS.escape(run.id)}"] [data-run=rename]`)?.focus(); };
  form.addEventListener("submit", (event) => { event.preventDefault(); close(); trigger("edit", { id: run.id, name: entry.value }); });
  entry.addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });
  return form;
}

function tickBox(run) {
  const box = h("input", "", { type: "checkbox", checked: ticked.has(run.id), "aria-label": t("runs.tick", { name: run.name }) });
  box.addEventListener("change", () => { ticked[box.checked ? "add" : "delete"](run.id); paint(); });
  return box;
}

function paint() {
  const { runs } = JSON.parse(props.value || '{"runs": []}');
  const focused = panel.contains(document.activeElement) ? document.activeElement : null;
  const back = focused?.closest("[data-id]") && `[data-id="${CSS.escape(focused.closest("[data-id]").dataset.id)}"] [data-run="${focused.dataset.run}"]`;
  for (const id of ticked) if (!runs.some((run) => run.id === id)) ticked.delete(id);
  panel.hidden = !runs.length;
  const compare = h("button", "edit-button", { type: "button", disabled: ticked.size !== 2 }, t("runs.compare"));
  compare.addEventListener("click", () => trigger("option_select", { ids: [...ticked] }));
  panel.replaceChildren(heading("runs"), h("ol", "runs", {}, ...runs.map(runNode)), compare);
  if (back && !renaming) panel.querySelector(back)?.focus({ preventScroll: true });
}

paint();
watch("value", paint);
