/* One word, wherever it stands: row, query, passages, answer and prompt light up together. */

/** Light up a word (lower case), or none. */
function linkWord(root, state, word) {
  if ((root.linkedWord || null) === (word || null)) return;
  root.linkedWord = word || null;
  relink(root, state);
}

/** Put the marks where the word stands now: after a redraw too. */
function relink(root, state) {
  root.querySelectorAll(".linked").forEach((node) => node.classList.remove("linked"));
  root.querySelectorAll(".section pre:has(.in-prompt)").forEach((pre) => { pre.textContent = pre.textContent; });
  const word = root.linkedWord;
  if (!word) return;
  root.querySelectorAll("[data-word]").forEach((node) => { if (node.dataset.word.toLowerCase() === word) node.classList.add("linked"); });
  root.querySelectorAll(".tok").forEach((node) => { if (wordOfToken(state, node) === word) node.classList.add("linked"); });
  root.querySelectorAll(".section pre").forEach((pre) => {
    const spans = occurrences(pre.textContent, word);
    if (spans.length) pre.replaceChildren(...marked(pre.textContent, spans));
  });
}

/** The word under a pointer, lower case, or null. */
function wordAt(event, state) {
  const named = event.target.closest?.("[data-word]");
  if (named) return named.dataset.word.toLowerCase();
  const token = event.target.closest?.(".tok");
  if (token) return wordOfToken(state, token);
  return event.target.closest?.(".section pre") ? wordInPrompt(event) : null;
}

function wordOfToken(state, node) {
  const window = roundsOf(state.payload.trace)[Number(node.dataset.round)]?.window;
  const span = window?.units[Number(node.dataset.unit)]?.word;
  return span ? part(window.kept_text + window.text, ...span).toLowerCase() : null;
}

const LETTER = /[\p{L}\p{N}]/u;

function occurrences(text, word) {
  const spans = [];
  const lower = text.toLowerCase();
  if (lower.length !== text.length) return spans; // a letter that changes its length would shift every offset
  for (let start = lower.indexOf(word); start >= 0; start = lower.indexOf(word, start + word.length)) {
    const end = start + word.length;
    const whole = !LETTER.test(lower[start - 1] || "") && !LETTER.test(lower[end] || "");
    const at = sizeOf(text.slice(0, start)); // spans are counted as in a trace
    if (whole) spans.push({ start: at, end: at + sizeOf(word), tag: "span", className: "in-prompt linked" });
  }
  return spans;
}

function wordInPrompt({ clientX, clientY }) {
  const spot = document.caretPositionFromPoint?.(clientX, clientY);
  if (spot?.offsetNode?.nodeType !== Node.TEXT_NODE) return null;
  const text = spot.offsetNode.data;
  const before = text.slice(0, spot.offset).match(/[\p{L}\p{N}]*$/u)[0];
  const after = text.slice(spot.offset).match(/^[\p{L}\p{N}]*/u)[0];
  return (before + after).toLowerCase() || null;
}
