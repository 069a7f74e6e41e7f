/* The ablation matrix: a row for each timing, a column for each query. A pure drawing of {cells, questions, now}. */

function viewMatrix(root, { cells = {}, questions = 1, now = null }, whens, whats) {
  const focused = root.contains(document.activeElement) ? document.activeElement.dataset.pair : null;
  root.replaceChildren(h("table", "cells", {}, h("caption", "sr-only", {}, t("matrix.title")),
    h("thead", "", {}, h("tr", "", {}, h("th", "", { scope: "col" }, t("matrix.corner")), ...whats.map((what) => h("th", "", { scope: "col" }, what)))),
    h("tbody", "", {}, ...whens.map((when) => h("tr", "", {}, h("th", "", { scope: "row" }, when),
      ...whats.map((what) => cellNode(`${when} × ${what}`, cells[`${when} × ${what}`], questions, now)))))));
  if (focused) root.querySelector(`[data-pair="${focused}"]`)?.focus({ preventScroll: true });
}

function cellNode(pair, cell, questions, now) {
  const running = pair === now;
  if (!cell || (!cell.done && !cell.error)) return h("td", running ? "running" : "", {}, h("span", "soft", {}, t(running ? "matrix.running" : "matrix.waiting")));
  const lines = cellLines(cell, questions);
  const kind = cell.error ? "failed" : cell.judged ? (cell.right === cell.judged ? "right" : cell.right ? "some" : "wrong") : "";
  return h("td", `${kind}${running ? " running" : ""}`, { "--p": cell.judged ? `${(100 * cell.right) / cell.judged}%` : null },
    h("button", "", { type: "button", "data-pair": pair, "aria-label": [pair, ...lines].join(", ") }, ...lines.map((line, i) => h(i ? "small" : "b", "", {}, line))));
}

function cellLines({ done, judged, right, f1, retrievals, error }, questions) {
  if (error) return [t("columns.state.failed")];
  const cost = questions === 1 ? t(retrievals === 1 ? "matrix.retrieval" : "matrix.retrievals", { count: retrievals }) : t("matrix.mean", { count: (retrievals / done).toFixed(1) });
  if (!judged) return [cost];
  if (questions === 1) return [t(right ? "verdict.right" : "verdict.wrong"), cost];
  return [t("matrix.right", { right, done }), t("matrix.f1", { f1: (f1 / judged).toFixed(2) }), cost];
}

/** What is told of a cell that is pointed at. */
function cellStory(pair, cell) {
  if (cell.error) return `${pair}: ${cell.error}`;
  const passes = t("matrix.passes", { fact: cell.passes[0], alone: cell.passes[1] });
  return `${pair}: ${cell.queries.length ? cell.queries.map((query) => `“${query}”`).join(" · ") : t("columns.never")} ${passes}`;
}
