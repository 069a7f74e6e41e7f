/* Glue: save and open, inside gr.HTML. Files are read and written here; the server sees text only. */

const bar = element.querySelector("div");
const file = h("input", "", { type: "file", accept: ".json,application/json", hidden: true, tabindex: -1, "aria-hidden": "true" });
const button = (name, act) => {
  const node = h("button", "", { type: "button", id: `share-${name}`, title: t(`share.${name}.help`) }, t(`share.${name}`));
  node.addEventListener("click", act);
  return node;
};
bar.append(button("open", () => file.click()), button("trace", () => trigger("download")), button("page", () => trigger("submit")), button("scores", () => trigger("copy", { kind: "scores" })), button("decisions", () => trigger("copy", { kind: "decisions" })), button("link", () => trigger("select")), file);
file.addEventListener("change", () => { openFile(file.files[0]); file.value = ""; });

const tell = (key) => window.dispatchEvent(new CustomEvent("dragin-notice", { detail: t(key) }));

/** Hand a file's text to the server, which says whether it is a trace. */
async function openFile(found) {
  if (!found) return;
  if (found.size > MOST_BYTES) return tell("share.large");
  const text = await found.arrayBuffer().then(decoded, () => null); // a folder, or gone since
  if (text === null) return tell("share.unreadable");
  trigger("upload", { text });
}

function decoded(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/* A file may be dropped anywhere on the page. */
const carriesFile = (event) => [...(event.dataTransfer?.types || [])].includes("Files");
const over = (event) => {
  if (!carriesFile(event)) return;
  event.preventDefault();
  document.body.classList.add("dropping");
};
const left = (event) => { if (!event.relatedTarget) document.body.classList.remove("dropping"); };
window.addEventListener("dragover", over);
window.addEventListener("dragleave", left);
window.addEventListener("drop", (event) => {
  document.body.classList.remove("dropping");
  if (!carriesFile(event)) return;
  event.preventDefault();
  openFile(event.dataTransfer.files[0]);
});

/** Where nothing may be copied, the link itself goes into the address line, from where it can be. */
function showLink(address) {
  history.replaceState(null, "", address);
  window.dispatchEvent(new CustomEvent("dragin-notice", { detail: { kind: "info", text: t("share.link.shown") } }));
}

const TYPES = { csv: "text/csv", json: "application/json", html: "text/html" };

watch("value", () => {
  if (!props.value?.text) return;
  const { name, kind, text } = props.value;
  if (kind === "link") return copyText(location.origin + location.pathname + text).then((done) => done ? sayCopied(true, t("copy.link")) : showLink(location.origin + location.pathname + text));
  const link = h("a", "", { download: name });
  link.href = URL.createObjectURL(new Blob([text], { type: TYPES[kind] }));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
});
