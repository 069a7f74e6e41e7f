/* The prompt before and after: sections coloured, template parts apart, what changed marked. */

function viewPrompt(root, model, focus) {
  keepingFocus(root, () => drawPrompt(root, model, focus));
}

function drawPrompt(root, model, focus) {
  const round = model.rounds[focus.round];
  const before = round?.window?.prompt;
  if (!before) return root.replaceChildren(emptyNote("prompt.empty"));
  const after = round.cut?.prompt || null;
  const old = round.window.round > 1 || after ? t("prompt.of", { round: round.number }) : t("prompt.first");
  const limit = model.trace.environment?.context_limit;
  const columns = [column(old, before, after, false, limit, round.window)];
  if (round.window.round === 1) columns[0].append(promptEdits(root.first ??= {}, model, round, before, round.at));
  if (after && !round.window.partial) {
    columns.push(column(t("prompt.after", { round: round.number + 1 }), after, before, true, limit, round.cut));
    columns[1].append(promptEdits(root.second ??= {}, model, round, after, placeOf(model, round.cut)));
  } else columns.push(after ? column(t("prompt.after", { round: round.number + 1 }), after, before, true, limit) : h("div", "prompt-column", {}, emptyNote(round.finished ? "prompt.same" : "prompt.next")));
  root.replaceChildren(...columns);
}

function column(label, prompt, other, isAfter, limit, event = null) {
  const sections = sectionsOf(prompt);
  const theirs = other && new Set(sectionsOf(other).map((section) => `${section.kind}|${bare(section)}`));
  const dropped = (prompt.dropped || []).length;
  return h("div", "prompt-column", {}, h("p", "lab", {}, label, " ", h("span", "soft", {}, tokensOf(prompt, limit)), " ", handBadge(event)),
    dropped ? h("p", "notice-line", {}, t("prompt.dropped", { what: prompt.dropped.map(String).join(", ") })) : "",
    ...sections.map((section, i) => sectionNode(section, theirs, isAfter, i === 0)));
}

/** How many tokens a prompt takes, of those the model can read. */
function tokensOf(prompt, limit) {
  const count = prompt.token_ids?.length ?? "–";
  return limit ? t("prompt.tokens.of", { count, limit: limit.toLocaleString("en") }) : t("prompt.tokens", { count });
}

/** The sections with their text; blank ones join the one before, passages are numbered. */
function sectionsOf(prompt) {
  const found = [];
  let passages = 0;
  for (const { kind, start, end } of prompt.sections) {
    const text = part(prompt.text, start, end);
    if (!text.trim() && found.length) found.at(-1).text += text;
    else found.push({ kind, text, number: kind === "passage" ? (passages += 1) : 0 });
  }
  return found;
}

/** What of a section counts as its content: a passage that only changed its number is the same passage. */
function bare(section) {
  return section.kind === "passage" ? section.text.trim().replace(/^\[\d+\]\s*/, "") : section.text.trim();
}

function sectionNode(section, theirs, isAfter, isFirst) {
  const { kind, text, number } = section;
  const changed = theirs && kind !== "template" && !theirs.has(`${kind}|${bare(section)}`);
  const className = `section ${kind}${changed ? (isAfter ? " new" : " gone") : ""}`;
  const name = [kind === "template" && isFirst ? term("template", t("section.template")) : t(`section.${kind}`, { number }), changed ? h("b", "", {}, ` ${t(isAfter ? "prompt.new" : "prompt.gone")}`) : ""];
  const body = h("pre", "", {}, text.replace(/^\n+|\n+$/g, ""));
  if (kind === "demonstration") return h("details", className, {}, h("summary", "section-name", {}, ...name), body);
  return h("div", className, {}, h("span", "section-name", {}, ...name), body);
}
