/* Glue: the tour, the words and the tab Learn, from a gr.HTML that is always there. Its event `select` asks for a recorded run. */

/** Open a tab by its name. */
const openTab = (name) => {
  const named = (selector) => [...document.querySelectorAll(selector)].find((node) => node.textContent.trim() === t(`tab.${name}`));
  (named("#tabs [role=tab]") || named("#tabs .overflow-dropdown button"))?.click(); // Gradio hides copies of tabs to measure them
};

/** Show a recorded run, with the dials it was run with. */
const showStory = (name) => {
  const { payload } = window.draginStage.state;
  if (payload?.recorded === name) window.draginStage.set({ theta: payload.trace.settings.theta, n: payload.trace.settings.top_n });
  trigger("select", { name });
};

let cameFrom = null;
const lessons = {
  start: (at) => { cameFrom = document.activeElement; tour.go(at); },
  misread: (item) => {
    tour.leave();
    openTab("explore");
    window.draginStage.set({ locked: null, hovered: null });
    showStory(item.story);
    const back = h("button", "primary", { type: "button" }, t("learn.back"));
    const title = h("h2", "spot-title", { id: "spot-title", tabindex: -1 }, item.title);
    back.addEventListener("click", () => { leave(); openTab("learn"); focusSoon(`[data-misread="${item.key}"]`); });
    let tokenToLock = item.lock;
    const there = () => {
      const part = window.draginStage.state.payload?.recorded === item.story ? document.querySelector(scoped(item.target)) : null;
      const token = tokenToLock && part?.querySelector(tokenToLock);
      if (token) {
        tokenToLock = null; // once: whoever unlocks it may
        window.draginStage.set({ locked: { round: Number(token.dataset.round), unit: Number(token.dataset.unit) } });
      }
      return part;
    };
    spot.show(there, [h("div", "spot-body", {}, title, h("p", "", {}, item.text)), h("div", "spot-foot", {}, back)]);
    title.focus({ preventScroll: true });
  },
};
const leave = () => { tour.leave(); spot.hide(); };
const spot = mountSpotlight(leave, () => tour.check());
const tour = mountTour(LEARN.tour, spot, {
  explore: () => openTab("explore"),
  story: showStory,
  ended: () => {
    page?.tour(tour.memory);
    (cameFrom?.checkVisibility() ? cameFrom : document.querySelector(".tour-start"))?.focus({ preventScroll: true });
  },
});
let page = null;
const drawPage = () => { page = drawLearn(window.draginLearn, LEARN, lessons); page.tour(tour.memory); };
window.addEventListener("dragin-learn", drawPage);
if (window.draginLearn) drawPage();
const focusSoon = (selector) => requestAnimationFrame(() => requestAnimationFrame(() => document.querySelector(selector)?.focus()));

const startTour = () => { window.draginTourAsked = false; cameFrom = document.activeElement; tour.go(tour.memory.at); };
window.addEventListener("dragin-tour", startTour);
if (window.draginTourAsked) startTour(); // it was asked for before this script had come
mountGlossary(LEARN.glossary, (key) => {
  leave();
  openTab("learn");
  const goOn = () => requestAnimationFrame(() => requestAnimationFrame(() => page.word(key)));
  if (page) goOn();
  else window.addEventListener("dragin-learn", goOn, { once: true });
});

/* Gradio's own labels get a “?” beside them. */
const ASKED_DIALS = { "dial-theta": "theta", "dial-n": "n", "dial-k": "k", "dial-length": "length", "dial-shots": "shots", method: "methods", gold: "match" };
const askDials = () => {
  const missing = Object.entries(ASKED_DIALS).filter(([id]) => !document.querySelector(`#${id} > .term`));
  for (const [id, key] of missing) document.getElementById(id)?.append(whatIs(key));
};
askDials();
new MutationObserver(askDials).observe(document.querySelector("#dials") || document.body, { childList: true, subtree: true });

/* What the address says: a question with its settings, or a recorded run. The server checks it. */
const followAddress = (...parts) => {
  const link = parts.find((part) => /[?#&](q|run)=/.test(part));
  if (link) trigger("submit", { link });
};
followAddress(location.search, location.hash);
window.addEventListener("hashchange", () => followAddress(location.hash));
