/* A ring around a part of the page, and a small panel beside it that does not cover it. */

const SPOT = { gap: 16, edge: 12, pad: 6, wide: 900, every: 120, grown: 80 };

/**
 * @param {function} onLeave Escape was pressed, or the cross
 * @returns {{show, hide, shown, panel}} `show(target, nodes)`: the ring is put around `target()` (a node or null), `nodes`
 *   fill the panel; it follows the page until `hide()`. Each time it looks, it calls `each`.
 */
function mountSpotlight(onLeave, each = () => {}) {
  const ring = h("div", "spot-ring", { "aria-hidden": "true", hidden: true });
  const panel = h("section", "spot-panel learned", { role: "dialog", "aria-labelledby": "spot-title", hidden: true });
  document.body.append(ring, panel);
  let target = () => null;
  let timer = 0;
  let last = null;
  let tall = 0;

  /** Go to the part once it is there, and again where another took its place or it was unfolded. */
  function look() {
    const node = target();
    const { width, height } = node?.getBoundingClientRect() || {};
    if (width && (node !== last || height > tall + SPOT.grown && node.querySelector("details[open]"))) reach(node, panel);
    [last, tall] = width ? [node, height] : [null, 0];
    dock(panel, ring, node);
  }

  function show(found, nodes) {
    target = found;
    last = null;
    panel.replaceChildren(...nodes);
    panel.hidden = false;
    document.body.classList.add("spotlit");
    look();
    clearInterval(timer);
    timer = setInterval(() => { look(); each(); }, SPOT.every);
  }

  function hide() {
    clearInterval(timer);
    timer = 0;
    ring.hidden = panel.hidden = true;
    document.body.classList.remove("spotlit");
  }

  const shown = () => timer !== 0;
  window.addEventListener("scroll", () => { if (shown()) dock(panel, ring, target()); }, { passive: true });
  window.addEventListener("keydown", (event) => {
    if (!shown() || event.target.getAttribute?.("aria-expanded") === "true") return;
    if (event.key === "Escape") onLeave();
    else if (event.key === "Tab") between(event, panel, target());
  });
  return { panel, show, hide, shown, look };
}

/** Tab goes on from the panel to the marked part and back; inside either it goes its way. */
function between(event, panel, target) {
  const [mine, theirs] = [reachable(panel), target ? reachable(target) : []];
  for (const [here, there] of [[mine, theirs], [theirs, mine]]) {
    const at = here.indexOf(document.activeElement);
    if (at < 0 || at !== (event.shiftKey ? 0 : here.length - 1) || !there.length) continue;
    event.preventDefault();
    return there.at(event.shiftKey ? -1 : 0).focus({ preventScroll: true });
  }
}

/** What the keyboard can reach in a part, in order. */
function reachable(node) {
  const found = [node, ...node.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")];
  return found.filter((each) => each.tabIndex >= 0 && !each.disabled && each.checkVisibility({ visibilityProperty: true }));
}

/** Bring a part into the free part of the window: whole where it fits, else its beginning. */
function reach(node, panel) {
  const box = node.getBoundingClientRect();
  const free = besides(box, panel.offsetWidth) ? innerHeight : innerHeight - panel.offsetHeight - SPOT.edge;
  const top = Math.max(SPOT.gap, (free - box.height) / 2);
  scrollBy({ top: box.top - top, behavior: quiet() ? "instant" : "smooth" });
}

function quiet() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** The side of a part at which a panel has room: "right", "left" or "". */
function besides(box, width) {
  if (innerWidth < SPOT.wide) return "";
  const need = width + SPOT.gap + SPOT.edge;
  return innerWidth - box.right >= need ? "right" : box.left >= need ? "left" : "";
}

function dock(panel, ring, node) {
  const box = node?.getBoundingClientRect();
  ring.hidden = !box?.width;
  const side = ring.hidden ? "" : besides(box, panel.offsetWidth);
  const { offsetWidth: width, offsetHeight: height } = panel;
  const foot = innerHeight - height - SPOT.edge;
  panel.style.left = `${side === "right" ? box.right + SPOT.gap : side === "left" ? box.left - width - SPOT.gap : (innerWidth - width) / 2}px`;
  panel.style.top = `${side ? Math.max(SPOT.edge, Math.min(foot, box.top)) : foot}px`;
  if (ring.hidden) return;
  const top = Math.max(box.top - SPOT.pad, 2);
  const bottom = Math.min(box.bottom + SPOT.pad, (side ? innerHeight : foot) - 4);
  Object.assign(ring.style, { left: `${box.left - SPOT.pad}px`, width: `${box.width + 2 * SPOT.pad}px`, top: `${top}px`, height: `${Math.max(0, bottom - top)}px` });
  ring.hidden = bottom - top < 8;
}
