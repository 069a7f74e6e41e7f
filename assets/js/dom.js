/* Building page nodes from data. Text enters through textContent alone, never as markup. */

/** An element: class, attributes (no handlers, no markup), children as nodes or text. */
function h(tag, className = "", attributes = {}, ...children) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("--")) node.style.setProperty(name, value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return node;
}

/** A text of the page, with {names} filled in. */
function t(key, values = {}) {
  const text = TEXTS[key];
  if (text === undefined) throw new Error(`assets/texts has no “${key}”`);
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? values[name] : whole));
}

/** Whether the page has a text of its own for something. */
function has(key) {
  return Object.hasOwn(TEXTS, key);
}

const NUMBERS = {
  score: (x) => (x === null || x === undefined ? "–" : x.toFixed(3)),
  entropy: (x) => x.toFixed(2),
  share: (x) => (x >= 0.0995 ? `${Math.round(100 * x)}%` : `${(100 * x).toFixed(1)}%`),
};

/** θ with as many digits as it was given, at least two. */
function thetaText(theta) {
  const short = Number(theta).toFixed(2);
  return Math.abs(Number(short) - theta) < 1e-9 ? short : String(Number(theta.toFixed(4)));
}

/** A token as a person reads it alone: white space made visible. */
function shown(text) {
  const visible = text.trim() ? text.trim() : text;
  return visible.replaceAll("\n", "↵").replaceAll("\t", "→").replaceAll(" ", text.trim() ? " " : "␣") || "∅";
}

/** The heading of a panel: a coloured keyword, what it is, and what it says. */
function heading(key, values = {}) {
  return h("h2", "", {}, h("em", "", {}, t(`${key}.title`)), h("span", "", {}, t(`${key}.lead`, values), " ", ASKED[key] ? whatIs(ASKED[key]) : ""));
}

const ASKED = { when: "trigger", signals: "rind", what: "qfs", with: "bm25", prompt: "rewritten", answer: "memory" };

/** A label that explains itself: glossary.js opens the definition of `key`. */
function term(key, label, className = "") {
  return h("button", `term ${className}`.trim(), { type: "button", "data-term": key, "aria-haspopup": "dialog" }, label);
}

/** A small “?” where there is no label to underline. */
function whatIs(key) {
  const node = term(key, "?", "ask");
  node.setAttribute("aria-label", t("term.what", { term: t(`term.${key}`) }));
  return node;
}

/** What to do where there is nothing to see yet. */
function emptyNote(key, values = {}) {
  return h("p", "empty", {}, t(key, values));
}

/** Text with spans of it wrapped: spans = [{start, end, tag, className, key}], counted as a trace does; they must not overlap. */
function marked(text, spans) {
  const nodes = [];
  const length = sizeOf(text);
  let at = 0;
  for (const span of [...spans].sort((a, b) => a.start - b.start)) {
    if (span.start < at || span.end > length) continue;
    nodes.push(part(text, at, span.start), h(span.tag || "mark", span.className || "", { "data-word": span.key, title: span.title },
      part(text, span.start, span.end)));
    at = span.end;
  }
  nodes.push(part(text, at));
  return nodes.filter((node) => node !== "");
}
