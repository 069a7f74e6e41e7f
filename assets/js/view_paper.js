/* The paper's results as tables with bars. A bar's length is the number over the highest of all that it can be held against,
   which is the whole table; the best of a group is bold. */

function viewPaper(root, paper) {
  const measure = h("select", "", { id: "paper-measure" }, ...["f1", "em"].map((name) => h("option", "", { value: name }, t(`paper.measure.${name}`))));
  const main = h("div", "paper-main");
  const drawMain = () => main.replaceChildren(mainTable(paper.main, measure.value));
  measure.addEventListener("change", drawMain);
  drawMain();
  root.setAttribute("aria-label", t("paper.title"));
  root.replaceChildren(h("div", "panel", {}, heading("paper"),
    part("main", h("p", "", {}, h("label", "soft", { for: "paper-measure" }, t("paper.measure"), " "), measure), main, t("paper.main.odd")),
    part("retrievals", retrievalTable(paper.retrievals)),
    h("div", "paper-pair", {},
      part("timing", ablationTable(paper.timing), t("paper.timing.odd")),
      part("query", ablationTable(paper.query))),
    h("div", "paper-pair", {},
      part("sweep", sweepTable(paper.sweep), t("paper.sweep.odd")),
      part("retrievers", retrieverTable(paper.retrievers))),
    h("p", "soft", {}, t("paper.source", { source: paper.source }))));

  function part(name, ...content) {
    const section = paper[name];
    const values = { dataset: section.dataset ?? "", model: section.model ?? "", held: section.held ?? "" };
    const nodes = content.map((each) => (typeof each === "string" ? h("p", "odd", {}, h("b", "", {}, t("paper.odd")), " ", each) : each));
    return h("section", `paper-part ${name}`, {}, h("h3", "", {}, t(`paper.${name}.title`, values)), h("p", "soft", {}, t(`paper.${name}.lead`, values)), ...nodes);
  }
}

/** A table of {name, values} rows, in groups with a heading each; bars are scaled by `tops`, one a column. */
function barTable(columns, groups, { tops, digits = 3, label }) {
  return h("div", "paper-scroll", { tabindex: 0, role: "region", "aria-label": label }, h("table", "paper-table", {},
    h("thead", "", {}, h("tr", "", {}, h("td"), ...columns.map((name) => h("th", "", { scope: "col" }, name)))),
    ...groups.map(({ title, rows, best = true }) => {
      const highest = columns.map((_, c) => (best ? Math.max(...rows.map(({ values }) => values[c])) : Infinity));
      return h("tbody", "", {},
        title ? h("tr", "", {}, h("th", "group", { scope: "rowgroup", colspan: columns.length + 1 }, title)) : "",
        ...rows.map(({ name, values }) => h("tr", name === "DRAGIN" || name === "QFS" ? "ours" : "", {}, h("th", "", { scope: "row" }, name),
          ...values.map((value, c) => h("td", value === highest[c] ? "best" : "", { "--p": `${(100 * value) / tops[c]}%` }, value.toFixed(digits))))));
    })));
}

const topOf = (groups, c) => Math.max(...groups.flatMap(({ rows }) => rows.map(({ values }) => values[c])));
const ownTops = (columns, groups) => columns.map((_, c) => topOf(groups, c));
const sharedTops = (columns, groups) => { const top = Math.max(...ownTops(columns, groups)); return columns.map(() => top); };
const named = (measure) => t(`paper.measure.${measure}`);

function mainTable({ methods, measures, models }, measure) {
  const datasets = Object.keys(measures);
  const of = (dataset) => (measures[dataset].includes(measure) ? measure : measures[dataset][0]);
  const groups = Object.entries(models).map(([title, found]) => ({ title, rows: methods.map((name, i) => ({ name, values: datasets.map((dataset) => found[dataset][of(dataset)][i]) })) }));
  const columns = datasets.map((dataset) => `${dataset}, ${named(of(dataset))}`);
  return barTable(columns, groups, { tops: ownTops(columns, groups), label: t("paper.main.title") });
}

function retrievalTable({ methods, models }) {
  const columns = Object.keys(Object.values(models)[0]);
  const groups = Object.entries(models).map(([title, found]) => ({ title, best: false, rows: methods.map((name, i) => ({ name, values: columns.map((dataset) => found[dataset][i]) })) }));
  return barTable(columns, groups, { tops: sharedTops(columns, groups), digits: 2, label: t("paper.retrievals.title") });
}

function ablationTable({ measures, models, dataset, held }) {
  const columns = measures.map(named);
  const groups = Object.entries(models).map(([title, rows]) => ({ title, rows: Object.entries(rows).map(([name, values]) => ({ name, values })) }));
  return barTable(columns, groups, { tops: sharedTops(columns, groups), label: `${dataset}, ${held}` });
}

function sweepTable({ measures, rows }) {
  const columns = measures.map(named);
  const groups = [{ rows: rows.map(([theta, ...values]) => ({ name: `θ ${theta.toFixed(1)}`, values })) }];
  return barTable(columns, groups, { tops: sharedTops(columns, groups), digits: 4, label: t("paper.sweep.label") });
}

function retrieverTable({ measures, datasets }) {
  const columns = measures.map(named);
  const groups = Object.entries(datasets).map(([title, rows]) => ({ title, rows: Object.entries(rows).map(([name, values]) => ({ name, values })) }));
  return barTable(columns, groups, { tops: sharedTops(columns, groups), label: t("paper.retrievers.label") });
}
