/* No layout jumps: while a dial moves, each part keeps the most height it had, so that nothing below it moves back and forth. */

/** Hold the heights of the parts that `find` names, until let go. */
function mountSteady(find) {
  const held = new Map();
  const grown = new ResizeObserver((entries) => {
    for (const { target, borderBoxSize: [box] } of entries) {
      if (box.blockSize <= held.get(target)) continue;
      held.set(target, box.blockSize);
      target.style.minHeight = `${box.blockSize}px`;
    }
  });
  return {
    hold() {
      if (held.size) return;
      for (const part of find()) held.set(part, part.offsetHeight);
      for (const [part, height] of held) { part.style.minHeight = `${height}px`; grown.observe(part); }
    },
    letGo() {
      grown.disconnect();
      for (const part of held.keys()) part.style.minHeight = "";
      held.clear();
    },
  };
}
