/* Words that explain themselves: whatever carries `data-term` opens the definition of that term. */

/**
 * Listen to the whole page.
 * @param glossary [{key, term, text, formula?}]
 * @param more what “More in Learn” does with a key; left out where there is no such tab
 */
function mountGlossary(glossary, more) {
  const entries = new Map(glossary.map((entry) => [entry.key, entry]));
  const body = h("div", "glossary-body");
  const close = h("button", "plain", { type: "button" }, t("term.close"));
  const open = h("button", "plain", { type: "button" }, t("term.more"));
  const box = h("div", "glossary learned", { popover: "auto", role: "dialog", "aria-labelledby": "glossary-term", tabindex: -1 }, body,
    h("p", "glossary-foot", {}, more ? open : "", close));
  document.body.append(box);
  let from = null;

  function show(node) {
    const entry = entries.get(node.dataset.term);
    if (!entry) return;
    from = node;
    body.replaceChildren(h("p", "", {}, h("b", "glossary-term", { id: "glossary-term" }, entry.term)), h("p", "", {}, entry.text),
      entry.formula ? h("p", "formula-line", {}, entry.formula) : "");
    box.dataset.key = entry.key;
    if (!box.matches(":popover-open")) box.showPopover();
    place(box, node);
    box.focus();
    window.dispatchEvent(new CustomEvent("dragin-defined", { detail: { key: entry.key, from: node } }));
  }

  /** Shut; the focus goes back to where it came from. */
  function shut() {
    box.hidePopover();
    (from?.isConnected ? from : document.querySelector(`.dragin .term[data-term="${from?.dataset.term}"]`))?.focus({ preventScroll: true });
  }

  close.addEventListener("click", shut);
  open.addEventListener("click", () => { const { key } = box.dataset; box.hidePopover(); more(key); });
  document.addEventListener("click", (event) => { const node = event.target.closest?.("[data-term]"); if (node) show(node); });
  window.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !box.matches(":popover-open")) return;
    event.stopImmediatePropagation();
    event.preventDefault();
    shut();
  }, true);
  return box;
}

/** Under its word, or above where there is more room; on a narrow screen at the foot of the window. */
function place(box, node) {
  const word = node.getBoundingClientRect();
  const { width, height } = box.getBoundingClientRect();
  const narrow = innerWidth < 560;
  const below = innerHeight - word.bottom > height + 16 || word.top < innerHeight - word.bottom;
  const top = narrow ? innerHeight - height - 8 : below ? word.bottom + 8 : word.top - height - 8;
  box.style.left = `${narrow ? (innerWidth - width) / 2 : Math.max(8, Math.min(innerWidth - width - 8, word.left))}px`;
  box.style.top = `${Math.max(8, Math.min(innerHeight - height - 8, top))}px`;
}
