/* The tab Learn: the tour's door, what one can answer afterwards, what is easily misread, the words. */

/**
 * @param root where it is drawn
 * @param learn assets/learn.en.json
 * @param hooks {start(at), misread(item)}
 * @returns {{tour(memory), word(key)}} tell how far the tour is; go to a word
 */
function drawLearn(root, learn, hooks) {
  const section = (key, ...children) => h("section", "learn-part", { "aria-label": t(`learn.${key}`) }, h("h2", "", {}, t(`learn.${key}`)), ...children);
  const door = h("p", "learn-door");
  root.replaceChildren(
    h("p", "learn-lead", {}, t("learn.lead")),
    section("tour", h("p", "", {}, t("learn.tour.lead")), door),
    section("questions", ...learn.questions.map(({ ask: asked, answer }) => h("details", "", {}, h("summary", "", {}, asked), h("p", "", {}, answer)))),
    section("misread", h("p", "", {}, t("learn.misread.lead")), h("div", "learn-cards", {}, ...learn.misreadings.map((item) => misreading(item, hooks.misread)))),
    section("glossary", h("dl", "learn-words", {}, ...learn.glossary.map((entry) => h("div", "", { id: `word-${entry.key}`, tabindex: -1 },
      h("dt", "", {}, entry.term), h("dd", "", {}, entry.text, entry.formula ? h("span", "formula-line", {}, entry.formula) : ""))))));
  const cited = { paper: t("cite.paper"), page: t("cite.page", { version: VERSION, address: location.origin + location.pathname }) };
  root.append(section("cite", ...Object.entries(cited).map(([key, text]) => h("div", "learn-cite", {}, h("p", "", {}, text), copyButton(`cite.${key}`, () => text)))));
  const button = (key, at, values = {}) => {
    const node = h("button", key === "again" ? "plain" : "learn-start", { type: "button", "data-learn": key }, t(`learn.${key}`, values));
    node.addEventListener("click", () => hooks.start(at));
    return node;
  };
  return {
    tour({ at, done }) {
      const count = learn.tour.length;
      const said = done.size ? h("span", "soft", {}, t("learn.done", { done: done.size, count })) : "";
      door.replaceChildren(at ? button("resume", at, { step: at + 1, title: learn.tour[at].title }) : button("start", 0), at ? button("again", 0) : "", said);
    },
    word(key) {
      const node = root.querySelector(`#word-${CSS.escape(key)}`);
      node?.scrollIntoView({ block: "center" });
      node?.focus({ preventScroll: true });
    },
  };
}

function misreading(item, show) {
  const button = h("button", "plain", { type: "button", "data-misread": item.key, "aria-label": t("learn.show.of", { title: item.title }) }, t("learn.show"));
  button.addEventListener("click", () => show(item));
  return h("article", "", {}, h("h3", "", {}, item.title), h("p", "", {}, item.text), button);
}
