/* Model events of one component, one at a time: what is under way is stopped, and what was asked for last begins when it
   has ended. Gradio cancels without waiting, and loses an event that is asked for meanwhile. */

const PATIENCE_MS = 3000;
const KNOWN_MS = 500; // until the server has named an event: before that Gradio cannot cancel it
const SETTLE_MS = 200; // behind the last event the server closes the stream of answers, and with it one asked for meanwhile

/**
 * `trigger` is Gradio's; `waits(name, busy)`: whether an event lets the one under way come to its end; `changed(name)`: what
 * is under way now, "" for nothing; `overtaken()`: what to do where another component wants the model meanwhile.
 */
function oneAtATime(trigger, { waits = () => false, changed = () => {}, overtaken = () => {} } = {}) {
  let began = 0;
  let ended = -Infinity;
  let busy = "";
  let next = null;
  let waiting = 0;
  let stopping = 0;
  let told = false; // a second stop for the same event would stop the one after it
  const setBusy = (name) => { busy = name; told = false; changed(name); };
  const halt = () => {
    const wait = Math.max(0, began + KNOWN_MS - performance.now());
    clearTimeout(stopping);
    clearTimeout(waiting);
    stopping = setTimeout(() => { if (busy && !told) { told = true; trigger("stop"); } }, wait);
    waiting = setTimeout(free, wait + PATIENCE_MS);
  };
  const act = (name, data) => {
    if (!busy) {
      setBusy(name);
      const rest = Math.max(0, ended + SETTLE_MS - performance.now());
      began = performance.now() + rest;
      window.dispatchEvent(new CustomEvent("dragin-acting", { detail: trigger }));
      return rest ? setTimeout(() => trigger(name, data), rest) : trigger(name, data);
    }
    next = [name, data];
    if (!waits(name, busy)) halt();
  };
  /** What was under way has ended; `name`: the event that has, where it is known. */
  function free(name = "") {
    if (name && name !== busy) return;
    clearTimeout(waiting);
    clearTimeout(stopping);
    setBusy("");
    ended = performance.now();
    const asked = next;
    next = null;
    if (asked) act(...asked);
  }
  /** Nothing is to follow what is under way, which someone else stops. */
  const drop = () => { next = null; clearTimeout(stopping); };
  /** Stop what is under way. */
  const stop = () => { next = null; if (busy) halt(); };
  window.addEventListener("dragin-acting", (event) => { if (event.detail !== trigger && busy) overtaken(); });
  return { act, free, drop, stop, busy: () => busy };
}
