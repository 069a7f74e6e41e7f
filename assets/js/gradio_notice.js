/* Glue: the notice line and the model's state inside gr.HTML. */

const line = element.querySelector("p");
const write = (value) => {
  line.textContent = value?.text || "";
  line.className = value?.text ? `line ${value.kind || "info"}` : "line";
  line.setAttribute("role", value?.kind === "error" ? "alert" : "status");
};
write(props.value);

/* What the page itself says (an entry out of bounds) stays until the next action, whatever the server has no word about. */
let own = false;
watch("value", () => { if (!own || props.value?.text) write(props.value); });
if (element.querySelector("#notice-line")) {
  window.addEventListener("dragin-notice", (event) => { own = true; write(event.detail.text ? event.detail : { kind: "error", text: event.detail }); });
  for (const kind of ["pointerdown", "keydown"]) {
    document.addEventListener(kind, () => { if (own) { own = false; write(props.value); } }, true);
  }
}
