/* Copying plain text, with a way where the clipboard is not ours. */

/** Resolves to whether the text is on the clipboard. */
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text); // no permission, or no secure context
  }
}

function copyBySelection(text) {
  const focus = document.activeElement;
  const box = h("textarea", "copy-box", { readonly: true, "aria-hidden": "true", tabindex: -1 });
  box.value = text;
  (focus?.closest?.("[popover], dialog") || document.body).append(box);
  box.select();
  const done = document.execCommand("copy");
  box.remove();
  focus?.focus({ preventScroll: true });
  return done;
}

/** Say it where the page says things: "dragin-notice" has a listener on the live page. */
function sayCopied(done, what) {
  const text = t(done ? "copy.done" : "copy.refused", { what });
  window.dispatchEvent(new CustomEvent("dragin-notice", { detail: { kind: done ? "info" : "error", text } }));
  return text;
}

/** A button that copies what `read` gives; null from it means that there is nothing yet. `tell` also gets what is said. */
function copyButton(key, read, tell = () => {}) {
  const what = t(`copy.${key}`);
  const node = h("button", "take-button", { type: "button", "data-copy": key }, t("copy.label", { what }));
  node.addEventListener("click", async () => {
    const text = read();
    const done = text ? await copyText(text) : false;
    tell(text ? sayCopied(done, what) : t("copy.nothing", { what }));
    node.textContent = t(done ? "copy.mark" : text ? "copy.label" : "copy.nothing.mark", { what });
    setTimeout(() => { node.textContent = t("copy.label", { what }); }, 2500);
  });
  return node;
}
