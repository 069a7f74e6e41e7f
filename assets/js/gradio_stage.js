/* Glue: the stage inside gr.HTML. `element`, `props`, `watch` and `trigger` are Gradio's. */

const DIALS = { theta: "dial-theta", n: "dial-n", k: "dial-k", length: "dial-length", shots: "dial-shots" };

const SETTINGS = { "dial-theta": "theta", "dial-n": "top_n", "dial-k": "top_k", "dial-length": "max_new_tokens", "dial-shots": "shots" };

const readDial = (id) => {
  const input = document.querySelector(`#${id} input[type=number]`);
  return input && input.value !== "" ? Number(input.value) : undefined;
};
const dialsNow = () => Object.fromEntries([["theta", readDial(DIALS.theta)], ["n", readDial(DIALS.n)]].filter(([, value]) => Number.isFinite(value)));

const stage = mountStage(element.querySelector(".dragin"));
let stopped = false; // a payload that was under way when Stop was pressed is not being written any more
const showNow = () => {
  const payload = props.value ? JSON.parse(props.value) : {};
  const { trace, recorded, opened, came, live } = payload;
  if (!trace) return;
  const before = stage.state.payload;
  const fresh = (recorded && recorded !== before?.recorded) || (opened && opened !== before?.opened) || (came && came !== before?.came); // Gradio sets the dials only after this
  const dials = fresh ? { theta: trace.settings.theta, n: trace.settings.top_n } : dialsNow();
  stage.show({ ...payload, live: live && !stopped }, dials);
};
window.draginStage = stage;
stage.state.edit = (at, edit) => {
  clearTimeout(asked);
  asked = 0;
  stopped = false;
  act("edit", { at, edit });
};
showNow();
watch("value", showNow);

const say = (text) => window.dispatchEvent(new CustomEvent("dragin-notice", { detail: text }));
let asked = 0;
let typing = 0;
const dialOf = (target) => (target instanceof HTMLInputElement ? Object.values(DIALS).find((id) => target.closest(`#${id}`)) : null);

/* The moved input is read itself: its twin (slider or number) is set by Gradio only after this. */
const moved = (event) => {
  const id = dialOf(event.target);
  const name = Object.keys(DIALS).find((key) => DIALS[key] === id);
  if ((name === "theta" || name === "n") && event.target.value !== "") stage.set({ [name]: Number(event.target.value) });
};
const pressed = (event) => { if (dialOf(event.target)) typing = event.key === "Tab" || event.key === "Enter" ? 0 : performance.now(); };
const follow = () => {
  asked = 0;
  stopped = false;
  act("release");
};

const { act, free, drop, stop } = oneAtATime(trigger, {
  waits: (name, busy) => name === "select" && busy === "select",
  changed: (name) => window.dispatchEvent(new CustomEvent("dragin-busy", { detail: name })),
});
const settled = (event) => {
  const id = dialOf(event.target);
  if (!id || !event.isTrusted) return;
  mendEntry(event.target, id);
  ask(performance.now() - typing < 600 && event.target.type === "range" ? 400 : 30);
};
const ask = (wait) => { clearTimeout(asked); asked = setTimeout(follow, wait); };

/* θ or n set in a plot turns the dial itself, so that Gradio knows of it; letting go follows as the dial does. Between
   the dial's steps only what is `exact`. */
element.addEventListener("dragin-dial", ({ detail: { theta, n, done, exact } }) => {
  const id = n === undefined ? DIALS.theta : DIALS.n;
  const input = document.querySelector(`#${id} input[type=number]`);
  const step = Number(document.querySelector(`#${id} input[type=range]`).step);
  const inside = Math.min(Number(input.max), Math.max(Number(input.min), n ?? theta));
  input.value = exact ? inside : Number((Math.round(inside / step) * step).toFixed(6));
  input.dispatchEvent(new Event("input", { bubbles: true }));
  if (!done) return;
  clearTimeout(asked);
  asked = setTimeout(follow, 30);
});

/* An entry outside the dial's bounds is told, and put right, before Gradio silently clamps it. */
function mendEntry(input, id) {
  if (input.type !== "number") return;
  const [low, high, value] = [Number(input.min), Number(input.max), Number(input.value)];
  if (input.value !== "" && value >= low && value <= high) return;
  const followed = stage.state.payload?.trace.settings?.[SETTINGS[id]] ?? low;
  const used = input.value === "" ? followed : Math.min(high, Math.max(low, value));
  say(t("dial.bounds", { name: t(`${id}.name`), value: input.value === "" ? t("dial.nothing") : input.value, low, high, used }));
  input.value = used;
  input.dispatchEvent(new Event("input", { bubbles: true }));
}

/* Whether this very run is being written: then Run has nothing to add. */
const underWay = () => stage.state.live && !asked
  && document.querySelector("#question textarea")?.value.trim() === stage.state.payload.trace.question;

/* Run, Step and Reset take the dials as they are: a branch about to be followed is theirs now. */
const overtaken = (event) => {
  const entered = event.key === "Enter" && !event.shiftKey && event.target.closest?.("#question");
  const pressed = event.type === "click" && event.target.closest?.("#do-run, #do-step, #do-reset");
  if (!pressed && !entered) return;
  if ((entered || pressed.id === "do-run") && underWay()) {
    event.stopImmediatePropagation();
    event.preventDefault();
    return;
  }
  clearTimeout(asked);
  asked = 0;
  stopped = false;
};

document.addEventListener("click", overtaken, true);
document.addEventListener("keydown", overtaken, true);
document.addEventListener("input", moved, true);
document.addEventListener("keydown", pressed, true);
document.addEventListener("change", settled, true);
window.addEventListener("dragin-changed", () => ask(30));
window.addEventListener("dragin-act", (event) => act(event.detail));
window.addEventListener("dragin-free", ({ detail }) => free(detail));
window.addEventListener("dragin-halt", stop);
window.addEventListener("dragin-stopped", () => { drop(); stopped = true; stage.freeze(); });
