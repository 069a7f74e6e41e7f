/* Take it along: copy query, prompt and answer; save skyline, attention row and signals as SVG or PNG. */

const PNG_SCALE = 2;

/** Add the buttons to the panels; `now()` gives {model, focus}. What is said goes to `said`, for screen readers. */
function mountTake(root, panels, now) {
  const tell = (text) => { panels.said.textContent = text; };
  const add = (name, ...nodes) => root.querySelector(`.panel.${name}`).append(h("p", "take", {}, ...nodes));
  const save = (name, draw) => ["svg", "png"].map((kind) => saveButton(name, kind, draw, () => now().model.trace.question, tell));
  const skyline = () => { const { model } = now(); return model.rounds.some((round) => round.window) ? skylineSvg(model, paletteOf(root)) : null; };
  const row = () => { const { model, focus } = now(); return rowSvg(model, focus, paletteOf(root)); };
  add("when", ...save("skyline", skyline));
  add("what", copyButton("query", () => root.querySelector(".query .chips")?.getAttribute("aria-label"), tell), ...save("row", row));
  if (panels.signals.frame) add("signals", ...save("signals", () => signalsSvg(panels.signals, now().model, paletteOf(root))));
  add("prompt", copyButton("prompt", () => { const round = now().model.rounds[now().focus.round]; return (round?.cut?.prompt || round?.window?.prompt)?.text; }, tell));
  add("answer", copyButton("answer", () => now().model.trace.answer.trim(), tell));
}

function saveButton(name, kind, draw, question, tell) {
  const what = t(`figure.name.${name}`);
  const node = h("button", "take-button", { type: "button", "data-save": `${name}-${kind}`, "aria-label": t("figure.save.of", { what, kind: kind.toUpperCase() }) }, t("figure.save", { kind: kind.toUpperCase() }));
  node.addEventListener("click", async () => {
    const drawn = await draw();
    if (!drawn) return tell(t("figure.none", { what }));
    const text = typeof drawn === "string" ? drawn : new XMLSerializer().serializeToString(drawn);
    const file = `${fileName(question())}-${name}.${kind}`;
    const blob = new Blob([text], { type: "image/svg+xml" });
    saveBlob(kind === "svg" ? blob : await rastered(blob), file);
    tell(t("share.saved", { name: file }));
  });
  return node;
}

/** As visuals/share.py names files: the question's letters and digits. */
function fileName(question) {
  return ["dragin", ...(question.toLowerCase().match(/[\p{L}\p{N}]+/gu) || [])].join("-").slice(0, 48).replace(/-+$/, "");
}

function saveBlob(blob, name) {
  const link = h("a", "", { download: name });
  link.href = URL.createObjectURL(blob);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

/** An SVG as PNG, at twice its size. */
async function rastered(blob) {
  const image = new Image();
  image.src = URL.createObjectURL(blob);
  await image.decode();
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: PNG_SCALE * image.naturalWidth, height: PNG_SCALE * image.naturalHeight });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(image.src);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}
