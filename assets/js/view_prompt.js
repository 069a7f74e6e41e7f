/* The prompt before and after: sections coloured, template parts apart, what changed marked. */

function viewPrompt(root, model, focus) {
  const round = model.rounds[focus.round];
  const before = round?.window?.prompt;
  if (!before) return root.replaceChildren(emptyNote("prompt.empty"));
  const after = round.cut?.prompt || null;
  const old = round.window.round > 1 || after ? t("prompt.of", { round: round.number }) : t("prompt.first");
  const columns = [column(old, before, after, false)];
  columns.push(after ? column(t("prompt.after", { round: round.number + 1 }), after, before, true) : h("div", "prompt-column", {}, emptyNote(round.finished ? "prompt.same" : "prompt.next")));
  root.replaceChildren(...columns);
}

function column(label, prompt, other, isAfter) {
  const sections = sectionsOf(prompt);
  const theirs = other && new Set(sectionsOf(other).map((section) => `${section.kind}|${bare(section)}`));
  const dropped = (prompt.dropped || []).length;
  return h("div", "prompt-column", {}, h("p", "lab", {}, label, " ", h("span", "soft", {}, t("prompt.tokens", { count: prompt.token_ids?.length ?? "–" }))),
    dropped ? h("p", "notice-line", {}, t("prompt.dropped", { what: prompt.dropped.map(String).join(", ") })) : "",
    ...sections.map((section) => sectionNode(section, theirs, isAfter)));
}

/** The sections with their text; blank ones join the one before, passages are numbered. */
function sectionsOf(prompt) {
  const found = [];
  let passages = 0;
  for (const { kind, start, end } of prompt.sections) {
    const text = prompt.text.slice(start, end);
    if (!text.trim() && found.length) found.at(-1).text += text;
    else found.push({ kind, text, number: kind === "passage" ? (passages += 1) : 0 });
  }
  return found;
}

/** What of a section counts as its content: a passage that only changed its number is the same passage. */
function bare(section) {
  return section.kind === "passage" ? section.text.trim().replace(/^\[\d+\]\s*/, "") : section.text.trim();
}

function sectionNode(section, theirs, isAfter) {
  const { kind, text, number } = section;
  const changed = theirs && kind !== "template" && !theirs.has(`${kind}|${bare(section)}`);
  return h("div", `section ${kind}${changed ? (isAfter ? " new" : " gone") : ""}`, {},
    h("span", "section-name", {}, t(`section.${kind}`, { number }), changed ? h("b", "", {}, ` ${t(isAfter ? "prompt.new" : "prompt.gone")}`) : ""),
    h("pre", "", {}, text.replace(/^\n+|\n+$/g, "")));
}
