/* The signals panel of a saved page: the plot needs plotly.js, which is left out; its summary sentence stays. */

function buildSignals() {
  const view = { summary: h("p", "summary", { id: "signals-summary" }) };
  view.nodes = [h("p", "soft", {}, t("signals.absent")), view.summary];
  return view;
}

function viewSignals(view, model, focus) {
  const round = model.rounds[focus.round];
  view.summary.textContent = round?.window?.units.length ? signalsSummary(model, round) : "";
}

function listenSignals() {}
