/* Texts whose contrast with what lies behind them is below WCAG AA. */
() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (a, b) => [0, 1, 2].map((i) => a[i] * a[3] + b[i] * (1 - a[3])).concat(1);
  const behind = (node) => {
    const layers = [];
    for (; node; node = node.parentElement) {
      const colour = rgba(getComputedStyle(node).backgroundColor);
      if (colour[3] > 0) layers.unshift(colour);
      if (colour[3] === 1) break;
    }
    return layers.reduce((below, above) => over(above, below), [255, 255, 255, 1]);
  };
  const channel = (v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const low = new Set();
  const texts = ".dragin *, #page-title *, .line, #actions button, .chip-button, #dials span";
  for (const node of document.querySelectorAll(texts)) {
    const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
    if (!own || !node.checkVisibility() || node.closest("[aria-hidden=true], .sr-only")) continue;
    const style = getComputedStyle(node);
    const back = behind(node);
    const [x, y] = [luminance(over(rgba(style.color), back)), luminance(back)].sort((p, q) => q - p);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    const ratio = (x + 0.05) / (y + 0.05);
    if (ratio < (large ? 3 : 4.5)) low.add(`${ratio.toFixed(2)} ${node.className || node.tagName} ${node.textContent.slice(0, 30)}`);
  }
  return [...low];
}
