/* Figures for elsewhere: a skyline and an attention row drawn anew as SVG that stands alone, from the data of the views.
   Words are <text> nodes; the serializer escapes them. */

const SVG = "http://www.w3.org/2000/svg";
const FIGURE = { width: 960, margin: 32, font: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif", size: 20, line: 104, bars: 48, space: 6 };
const UNWRITABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g; // XML has no such characters

function svgNode(tag, attributes = {}, text = null) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, typeof value === "number" ? String(Number(value.toFixed(2))) : value);
  if (text !== null) node.textContent = text.replace(UNWRITABLE, "\ufffd");
  return node;
}

/** The page's colours as they are now, light or dark. */
function paletteOf(root) {
  const probe = h("i", "", { hidden: true });
  root.append(probe);
  const names = ["panel", "ink", "soft", "faint", "rule", "when", "what", "with"];
  const found = Object.fromEntries(names.map((name) => { probe.style.color = `var(--${name})`; return [name, getComputedStyle(probe).color]; }));
  probe.remove();
  return found;
}

/** A pen that writes from the top down: `put` adds a node, `text` a line of text; `svg()` closes the figure. */
function figurePen(palette, title) {
  const nodes = [];
  const canvas = document.createElement("canvas").getContext("2d");
  const pen = {
    palette, y: FIGURE.margin,
    width(text, weight = 400) { canvas.font = `${weight} ${FIGURE.size}px ${FIGURE.font}`; return canvas.measureText(text).width; },
    put(tag, attributes, text) { nodes.push(svgNode(tag, attributes, text)); },
    text(x, y, text, more = {}) { pen.put("text", { x, y, fill: palette.ink, "xml:space": "preserve", ...more }, text); },
    /** A line of small print, broken where it is too long. */
    note(text, more = {}) {
      for (const line of linesOf(text, Math.floor((FIGURE.width - 2 * FIGURE.margin) / 7))) { pen.y += 20; pen.text(FIGURE.margin, pen.y, line, { "font-size": 14, fill: palette.soft, ...more }); }
    },
    svg() {
      const height = pen.y + FIGURE.margin;
      const svg = svgNode("svg", { xmlns: SVG, viewBox: `0 0 ${FIGURE.width} ${height}`, width: FIGURE.width, height, "font-family": FIGURE.font, "font-size": FIGURE.size, role: "img" });
      svg.append(svgNode("title", {}, title), svgNode("rect", { width: "100%", height: "100%", fill: palette.panel }), ...nodes);
      return svg;
    },
  };
  pen.note(title, { "font-size": 16, "font-weight": 650, fill: palette.ink });
  return pen;
}

function linesOf(text, most) {
  const lines = [""];
  for (const word of text.split(/\s+/)) {
    if (lines.at(-1) && [...`${lines.at(-1)} ${word}`].length > most) lines.push(word);
    else lines[lines.length - 1] = `${lines.at(-1)} ${word}`.trim();
  }
  return lines;
}

/** Rounds of bars over tokens, θ through them. */
function skylineSvg(model, palette) {
  const pen = figurePen(palette, model.trace.question);
  for (const round of model.rounds) {
    if (!round.window) continue;
    pen.y += 14;
    pen.note(roundHead(model, round).map((node) => node.textContent).filter(Boolean).join(" · "));
    const kept = round.window.kept_text.split(/(?<=\s)/).filter(Boolean).map((text) => ({ text, kept: true }));
    const own = round.window.units.map((unit, i) => ({ text: unit.text, unit, state: stateOf(round, i, round.cutFrom) }));
    setLines(pen, [...kept, ...own], (piece, x, y, width) => drawToken(pen, piece, x, y, width, model), (y) => drawTheta(pen, y, model));
  }
  pen.y += 12;
  pen.note(t("figure.skyline", { theta: thetaText(model.theta), top: model.scale }));
  pen.note(t("figure.credit"));
  return pen.svg();
}

const weightOf = (piece) => (piece.state === "fires" || piece.where && piece.kept ? 700 : 400);

/** A piece as it is written: one of spaces alone has nothing to show. */
function written(text) {
  return /^[ \t]*$/.test(text) ? "" : shown(text);
}

/** Set pieces of text in lines, broken before a piece that begins with white space. */
function setLines(pen, pieces, draw, perLine) {
  const right = FIGURE.width - FIGURE.margin;
  let x = Infinity;
  const groups = [];
  for (const piece of pieces) {
    if (!groups.length || /^\s/.test(piece.text) || /\s$/.test(groups.at(-1).at(-1).text)) groups.push([]);
    groups.at(-1).push(piece);
  }
  for (const group of groups) {
    const widths = group.map((piece) => Math.max(pen.width(written(piece.text), weightOf(piece)), 3));
    if (x + widths.reduce((sum, width) => sum + width, 0) > right) { pen.y += FIGURE.line; x = FIGURE.margin; perLine(pen.y); }
    group.forEach((piece, i) => {
      if (x + widths[i] > right) { pen.y += FIGURE.line; x = FIGURE.margin; perLine(pen.y); }
      draw(piece, x, pen.y, widths[i]);
      x += widths[i];
    });
    x += FIGURE.space;
  }
}

const FLOOR = 24; // a bar's foot above its text's line

function drawTheta(pen, y, model) {
  if (!model.dragin || model.theta > model.scale) return;
  const at = y - FLOOR - FIGURE.bars * (model.theta / model.scale);
  pen.put("line", { x1: FIGURE.margin, x2: FIGURE.width - FIGURE.margin, y1: at, y2: at, stroke: pen.palette.ink, "stroke-dasharray": "6 5", "stroke-width": 1.25 });
}

function drawToken(pen, { text, unit, state, kept }, x, y, width, model) {
  const { palette } = pen;
  if (!kept) {
    const share = Math.min(1, (unit.rind || 0) / model.scale);
    const height = state === "pending" ? 14 : Math.max(2, FIGURE.bars * share);
    const hollow = state === "pending" || state === "undefined";
    pen.put("rect", { x, y: y - FLOOR - height, width: Math.max(1, width - 1), height, fill: hollow ? "none" : palette.when, stroke: hollow ? palette.when : "none", "stroke-dasharray": "3 2",
      opacity: hollow ? 1 : state === "cut" ? 0.35 : 0.35 + 0.65 * share });
    if (MARKS[state]) pen.text(x + width / 2, y - FLOOR - height - 4, MARKS[state], { fill: palette.when, "text-anchor": "middle", "font-size": 14 });
  }
  const struck = state === "cut" || state === "flagged";
  pen.text(x, y, written(text), { fill: kept || state === "passed" ? palette.soft : struck ? palette.faint : palette.ink, "font-weight": weightOf({ state }), "text-decoration": struck ? "line-through" : "none" });
}

/** The attention row as it is drawn: bars over the words before a token, those of the query in blue. */
function rowSvg(model, focus, palette) {
  const row = rowOf(model, focus);
  if (!row) return null;
  const { window } = row.round;
  const query = queryFor(row.round, row.index, model.n, model.trace.settings, model.switches) || { ...queryOf(window, row.index, 0), unknown: true };
  const plain = query.unknown || mirrorsQuery(model.switches);
  const drawn = drawnRow(window, row.index, model.head, model.sinkless);
  const words = plain ? query.words.map((word) => ({ ...word, weight: drawn.weights[word.index] })) : query.words;
  const most = Math.max(1e-9, ...words.map((word) => word.weight));
  const pen = figurePen(palette, model.trace.question);
  pen.note(t(row.fires ? "attention.fires" : "attention.other", { token: shown(window.units[row.index].text) }));
  for (const where of ["question", "answer"]) {
    pen.y += 12;
    pen.note(t(`attention.${where}`));
    const pieces = words.filter((word) => word.where === where).map((word) => ({ ...word, text: ` ${word.text}` }));
    setLines(pen, pieces, (word, x, y, width) => drawWord(pen, word, x, y, width, most), () => {});
  }
  pen.y += 12;
  if (!query.unknown) pen.note(t("figure.query", { n: model.n, query: query.text || "–" }), { fill: palette.what, "font-weight": 650 });
  pen.note(t("figure.row", { head: drawn.head === null ? t("row.mean") : t("row.one", { head: drawn.head + 1, count: headsOf(window.rows).count }) }));
  pen.note(t("figure.credit"));
  return pen.svg();
}

function drawWord(pen, word, x, y, width, most) {
  const height = Math.max(2, FIGURE.bars * (word.weight / most));
  pen.put("rect", { x, y: y - FLOOR - height, width: Math.max(1, width - 1), height, fill: pen.palette.what, opacity: word.kept ? 1 : 0.35 });
  pen.text(x, y, shown(word.text), { fill: word.kept ? pen.palette.ink : pen.palette.soft, "font-weight": weightOf(word), "font-style": word.stop ? "italic" : "normal" });
}

/** The signals' plot as SVG text, θ's line in it; null while there is no plot. */
async function signalsSvg(view, model, palette) {
  if (!view.plot?.data || !model.rounds.length) return null;
  const line = { type: "line", xref: "paper", x0: 0, x1: 1, yref: "y", y0: model.theta, y1: model.theta, line: { color: palette.ink, width: 1.5, dash: "dash" } };
  const layout = { ...view.plot.layout, paper_bgcolor: palette.panel, shapes: model.dragin ? [line] : [], title: { text: plotText(model.trace.question, 90), font: { size: 14, color: palette.ink }, y: 0.985 } };
  const address = await view.plotly.toImage({ data: view.plot.data, layout }, { format: "svg", width: layout.width, height: layout.height });
  return decodeURIComponent(address.slice(address.indexOf(",") + 1)).replace(UNWRITABLE, "\ufffd");
}
