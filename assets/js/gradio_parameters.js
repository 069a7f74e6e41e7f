/* Glue: what a method is made of, beside the switches in the same gr.HTML. PARAMETERS, METHODS (their when and what),
   ASKS_LATER (timings that use a query) and METHOD (the one chosen at first) are given. */

const parameterPanel = element.querySelector(".parameter-panel");
const fields = new Map();
let method = METHOD;

/** When and what the method comes to, its rule of FLARE, and which parameters matter then. */
function madeOf(parameters) {
  const when = parameters.when ?? METHODS[method].when;
  const what = ASKS_LATER.includes(when) ? parameters.what ?? METHODS[method].what : "question";
  return { when, what, rule: parameters.flare_rule ?? "paper" };
}
const MATTERS = {
  every: ({ when, what }) => when === "every" || what === "last-tokens",
  flare_rule: ({ when, what }) => when === "flare" || what === "flare-mask",
  flare_threshold: ({ when, rule }) => when === "flare" && rule === "paper",
  flare_mask: ({ what, rule }) => what === "flare-mask" && rule === "paper",
  flare_doubt: ({ when, what, rule }) => (when === "flare" || what === "flare-mask") && rule === "released",
  max_retrievals: ({ when }) => when !== "never",
};
const matters = (name, made) => (MATTERS[name] ? MATTERS[name](made) : true);

/** Take the parameters that matter; the others go back to what is usual. */
function chooseParameters(parameters) {
  const made = madeOf(parameters);
  const kept = Object.entries(parameters).filter(([name, value]) => value !== "" && value !== null && matters(name, made));
  props.value = { ...props.value, parameters: Object.fromEntries(kept) };
  paintParameters();
}

function fieldOf({ name, values, usual }) {
  const id = `parameter-${name}`;
  const about = { id, "aria-describedby": `${id}-help ${id}-mark` };
  const own = h("option", "", { value: "" });
  const names = name === "flare_rule" ? values : [own, ...values];
  const control = values.length
    ? h("select", "", about, ...names.map((value) => (value === own ? own : h("option", "", { value }, value))))
    : h("input", "", { ...about, type: "text", inputmode: "decimal", autocomplete: "off", maxlength: 12 });
  control.addEventListener("change", () => {
    const value = control.value.trim();
    const { [name]: before, ...others } = props.value.parameters || {};
    chooseParameters(value === "" || value === String(usual) ? others : { ...others, [name]: value });
    window.dispatchEvent(new CustomEvent("dragin-changed"));
  });
  const mark = h("p", "switch-mark", { id: `${id}-mark` });
  const node = h("div", "parameter setting", { "data-parameter": name },
    h("label", "", { for: id }, t(`parameter.${name}`), " ", h("code", "", {}, name)), control, mark,
    h("p", "switch-help", { id: `${id}-help` }, t(`parameter.${name}.help`)));
  fields.set(name, { node, control, mark, own, usual });
  return node;
}

const byHand = h("span", "switch-count");
parameterPanel.replaceChildren(h("details", "", {}, h("summary", "", {}, h("b", "", {}, t("parameters.summary")), " ", byHand),
  h("p", "switch-lead", {}, t("parameters.lead")), h("div", "switch-grid", {}, ...PARAMETERS.map(fieldOf))));

/** The values; what matters, and what differs from what is usual. */
function paintParameters() {
  const parameters = props.value.parameters || {};
  const made = madeOf(parameters);
  for (const [name, { node, control, mark, own, usual }] of fields) {
    const differs = name in parameters;
    const usually = usual ?? METHODS[method][name];
    own.textContent = t("parameters.own", { value: METHODS[method][name] ?? "" });
    control.value = String(parameters[name] ?? usual ?? "");
    node.hidden = !matters(name, made);
    node.classList.toggle("differs", differs);
    mark.textContent = differs ? `≠ ${t("parameters.differs", { value: usually })}` : "";
  }
  const count = Object.keys(parameters).length;
  byHand.textContent = count === 0 ? t("parameters.same") : count === 1 ? t("parameters.one") : t("parameters.many", { count });
  byHand.classList.toggle("differs", count > 0);
  idle("dial-theta", made.when !== "rind");
  idle("dial-n", made.what !== "qfs");
}

/** Say at a dial that what is chosen does not look at it. */
function idle(dial, unused) {
  const node = document.getElementById(dial);
  if (unused) node?.setAttribute("data-idle", t("dial.idle"));
  else node?.removeAttribute("data-idle");
}

/* A method chosen by hand brings its own when and what. */
window.addEventListener("dragin-method", ({ detail }) => {
  if (!(detail.method in METHODS)) return;
  method = detail.method;
  if (!detail.byHand) return paintParameters();
  const { when, what, ...others } = props.value.parameters || {};
  chooseParameters(others);
});

paintParameters();
watch("value", paintParameters);
