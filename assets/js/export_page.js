/* A saved page: title, θ and n, the stage over the run that the file holds, and whose words these are. */

const EXPORT_DIALS = { theta: { setting: "theta", step: 0.01, low: 0, high: 2 }, n: { setting: "top_n", step: 1, low: 1, high: 50 } };

function mountExport(root, payload) {
  const { trace } = payload;
  const stageRoot = h("div", "dragin");
  const dials = Object.entries(EXPORT_DIALS).map(([name, dial]) => exportDial(name, dial, trace));
  const again = h("button", "plain", { type: "button" }, t("file.again", { theta: thetaText(trace.settings.theta), n: trace.settings.top_n }));
  const environment = trace.environment || {};
  root.replaceChildren(
    h("header", "", {}, h("h1", "", {}, t("title")), h("p", "soft", {}, t("file.what", { model: environment.model || t("share.unnamed"), corpus: environment.corpus?.name || "–" }))),
    h("section", "export-dials", { "aria-label": t("file.dials") }, ...dials.map((dial) => dial.node), again, h("p", "soft", {}, t("file.limits"))),
    h("main", "", {}, stageRoot),
    h("footer", "soft", {}, h("p", "", {}, t("attribution"))));
  const stage = mountStage(stageRoot);
  stage.show(payload, { theta: trace.settings.theta, n: trace.settings.top_n });
  for (const dial of dials) dial.listen((value) => stage.set({ [dial.name]: value }));
  again.addEventListener("click", () => dials.forEach((dial) => stage.set({ [dial.name]: dial.reset() })));
  return stage;
}

/** A slider and a number that move together; typed values beyond the slider's ends are brought back to them. */
function exportDial(name, { setting, step, low, high }, trace) {
  const start = trace.settings[setting];
  const bounds = { min: low, max: Math.max(high, start, name === "theta" ? highestScore(trace) : 0), step };
  const slider = h("input", "", { type: "range", id: `file-${name}`, ...bounds, value: start });
  const entry = h("input", "", { type: "number", "aria-label": t(`dial-${name}.label`), ...bounds, step: name === "theta" ? "any" : step, value: start });
  const node = h("div", `export-dial ${name}`, {}, h("label", "", { for: slider.id }, t(`dial-${name}.label`)), slider, entry);
  const inside = (value) => Math.min(bounds.max, Math.max(bounds.min, name === "n" ? Math.round(value) : value));
  return {
    name, node,
    listen(set) {
      slider.addEventListener("input", () => { entry.value = slider.value; set(Number(slider.value)); });
      entry.addEventListener("input", () => { if (entry.value !== "") { slider.value = entry.value; set(inside(Number(entry.value))); } });
      entry.addEventListener("change", () => { entry.value = entry.value === "" ? slider.value : inside(Number(entry.value)); slider.value = entry.value; set(Number(entry.value)); });
    },
    reset() { entry.value = start; slider.value = start; return start; },
  };
}

/** θ can be moved past every score. */
function highestScore(trace) {
  const scores = trace.events.flatMap((event) => (event.units || []).map((unit) => unit.rind || 0));
  return Math.ceil(scores.reduce((most, score) => Math.max(most, score), 0));
}

mountGlossary(GLOSSARY);
window.draginStage = mountExport(document.querySelector(".export"), JSON.parse(document.getElementById("payload").textContent));
