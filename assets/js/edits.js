/* What if: the controls that change one event of a run by hand. `model.edit(at, edit)` asks the server for the branch; a
   page without a server has none, and then none of them is drawn. What is being edited is kept in the stage's state. */

const BY_HAND = "by-hand-";

/** A badge on what was changed by hand. */
function handBadge(event) {
  return event?.edited ? h("span", "badge hand", {}, t("edit.hand")) : "";
}

function editButton(key, act, values = {}, more = {}) {
  const node = h("button", "edit-button", { type: "button", "data-edit": key, ...more }, t(`edit.${key}`, values));
  node.addEventListener("click", act);
  return node;
}

/** Whether the shown run can be edited now: it is not being written, played or previewed. */
function canEdit(model, round) {
  return Boolean(model.edit) && !model.payload.elsewhere && !model.live && !model.replay && (!round || round.status === "followed");
}

/** The decision that firing at a unit changes: the first of the round that does not come before it. */
function decisionFor(round, unit) {
  const group = round.groups.find(({ decision }) => !decision.retrieve || decision.moment > unit) || round.groups.at(-1);
  return group ? group.at : round.at + 1;
}

/** On the card: fire at this token, or ignore this trigger. */
function cardEdits(model, round, focus, state) {
  if (!canEdit(model, round) || round.window.partial || round.unchecked) return "";
  const unit = round.window.units[focus.unit];
  const group = round.groups.findLast(({ decision }) => decision.retrieve && decision.index === focus.unit);
  const name = { token: shown(unit.text) };
  const nodes = [];
  if (group && !group.decision.edited) nodes.push(editButton("ignore", () => model.edit(group.at, { kind: "ignore" }), name));
  else if (!group && model.dragin && !unit.pending && unit.reason !== "thinking" && state !== "fires") {
    nodes.push(editButton("fire", () => model.edit(decisionFor(round, focus.unit), { kind: "fire", index: focus.unit }), name));
  }
  return nodes.length ? h("p", "edit-row", {}, ...nodes) : "";
}

/** A form with a text field, opened from a button. It is one node for as long as it is about `key`, so that a redraw takes
    nothing from who types; `holder` keeps it. */
function textEditor(holder, key, { label, value, rows, ask, send }) {
  if (holder.key === key && holder.box) return holder.box;
  const box = h("div", "editor");
  const button = editButton(ask, () => open());
  const shut = () => box.replaceChildren(h("p", "edit-row", {}, button));
  const close = () => { shut(); button.focus(); };
  function open() {
    const field = h("textarea", "", { rows, maxlength: 50000, spellcheck: "false" });
    field.value = value;
    field.addEventListener("keydown", (event) => { if (event.key === "Escape") { event.stopPropagation(); close(); } });
    const go = () => { const { value: text } = field; shut(); send(text); };
    box.replaceChildren(h("label", "lab", {}, label, field), h("p", "edit-row", {}, editButton(`${ask}.go`, go), editButton("cancel", close)));
    field.focus();
  }
  shut();
  Object.assign(holder, { key, box });
  return box;
}

/** Draw, and give the focus back to a node that is still there, or to the one in its place. */
function keepingFocus(root, draw) {
  const controls = () => [...root.querySelectorAll("input, textarea, button")];
  const active = root.contains(document.activeElement) ? document.activeElement : null;
  const at = controls().indexOf(active);
  draw();
  if (active) (active.isConnected ? active : controls()[at])?.focus({ preventScroll: true });
}

/** Where an event of a trace stands. */
function placeOf(model, event) {
  return model.payload.trace.events.indexOf(event);
}

/** Under the query: ask something else. */
function queryEdits(root, model, round, group) {
  if (!group?.query || !canEdit(model, round)) return "";
  const at = placeOf(model, group.query);
  root.editor ??= {};
  return textEditor(root.editor, `${at}|${group.query.sent}|${model.payload.trace.question}`, {
    label: t("edit.query.label"), value: group.query.sent, rows: 2, ask: "query", send: (text) => model.edit(at, { kind: "ask", text }),
  });
}

/** In front of a prompt's text: write it by hand. `at` is the event that makes it. */
function promptEdits(holder, model, round, prompt, at) {
  if (!canEdit(model, round)) return "";
  const kept = prompt.sections.filter(({ kind }) => kind === "answer").at(-1);
  return textEditor(holder, `${at}|${prompt.text}`, {
    label: t("edit.prompt.label"), value: part(prompt.text, 0, kept ? kept.start : Infinity), rows: 12, ask: "prompt", send: (text) => model.edit(at, { kind: "prompt", text }),
  });
}

/** The passages as they may be changed: a tick box each, in place editing, one more, and a button that goes on with them. */
function passageEdits(root, model, round, group) {
  if (!canEdit(model, round)) { root.choice = null; return null; }
  const at = group.passagesAt;
  const trace = model.payload.trace;
  if (root.choice?.trace !== trace || root.choice?.at !== at) root.choice = { trace, at, items: group.passages.items.map((item) => ({ item, ticked: true, own: null })) };
  return root.choice;
}

/** A passage of the choice as the server takes it. */
function chosenPassage({ item, own }) {
  if (own) return { title: own.title, text: own.text };
  return String(item.id).startsWith(BY_HAND) ? { title: item.title, text: item.text } : { id: item.id };
}

/** The controls in a passage's head: leave it out, or edit it in place. */
function passageTools(entry, i, redraw) {
  const title = entry.own ? entry.own.title : entry.item.title;
  const box = h("input", "", { type: "checkbox", checked: entry.ticked, "aria-label": t("edit.passage.use", { number: i + 1, title: title || t("passages.untitled") }) });
  box.addEventListener("change", () => { entry.ticked = box.checked; redraw(); });
  const edit = entry.own ? "" : editButton("passage", () => { entry.own = { title: entry.item.title, text: entry.item.text }; redraw("open"); }, {}, { "aria-label": t("edit.passage.edit", { number: i + 1 }) });
  return { box, edit };
}

/** The fields of a passage that is written by hand. */
function passageFields(entry, i, redraw) {
  if (entry.fields) return entry.fields;
  const title = h("input", "", { type: "text", maxlength: 300, "aria-label": t("edit.passage.title", { number: i + 1 }), placeholder: t("edit.passage.title.hint") });
  const text = h("textarea", "", { rows: 4, maxlength: 4000, "aria-label": t("edit.passage.text", { number: i + 1 }), placeholder: t("edit.passage.text.hint") });
  [title.value, text.value] = [entry.own.title, entry.own.text];
  title.addEventListener("input", () => { entry.own.title = title.value; });
  text.addEventListener("input", () => { entry.own.text = text.value; });
  const undo = editButton("cancel", () => { entry.own = entry.fields = null; if (!entry.item) entry.gone = true; redraw(); });
  entry.fields = h("div", "passage-fields", {}, title, text, h("p", "edit-row", {}, undo));
  return entry.fields;
}

/** Under the passages: add one, or go on with what is chosen. */
function passageActions(choice, model, redraw) {
  const changed = choice.items.some((entry) => !entry.ticked || entry.own);
  const add = editButton("add", () => { choice.items.push({ item: null, ticked: true, own: { title: "", text: "" } }); redraw("open"); });
  const go = editButton("go", () => model.edit(choice.at, { kind: "passages", items: choice.items.filter((entry) => entry.ticked).map(chosenPassage) }));
  return h("p", "edit-row", {}, add, changed ? go : "");
}
