/* Glue: variant and switches inside gr.HTML. One control per switch, drawn from SWITCHES; the value is {variant, switches, parameters}. */

const panel = element.querySelector(".switch-panel");
const controls = new Map();

/** Every switch as it is set now: by hand, else by the variant. */
const valueOf = (each) => props.value.switches[each.name] ?? each.in[props.value.variant];
const differing = () => SWITCHES.filter((each) => String(valueOf(each)) !== String(each.in[props.value.variant]));

const choose = (variant, switches) => {
  props.value = { ...props.value, variant, switches };
  paint();
  window.dispatchEvent(new CustomEvent("dragin-changed"));
};

const options = (values, name) => values.map((value) => h("option", "", { value }, name(value)));

const variants = h("select", "", { id: "variant" }, ...options(VARIANTS, (variant) => t(`variant.${variant}`)));
variants.addEventListener("change", () => choose(variants.value, {}));

/** The control of one switch: a list of its values, or an entry where it takes a number. */
function controlOf(each) {
  const id = `switch-${each.name}`;
  const about = { id, "aria-describedby": `${id}-help ${id}-mark` };
  const control = each.values.length
    ? h("select", "", about, ...options(each.values, (value) => value))
    : h("input", "", { ...about, type: "text", autocomplete: "off", maxlength: 8, placeholder: t("switches.tokens") });
  control.addEventListener("change", () => {
    const value = control.value.trim();
    const { [each.name]: before, ...others } = props.value.switches;
    choose(props.value.variant, value === String(each.in[props.value.variant]) ? others : { ...others, [each.name]: value });
  });
  return control;
}

function switchNode(each) {
  const control = controlOf(each);
  const mark = h("p", "switch-mark", { id: `switch-${each.name}-mark` });
  const node = h("div", "switch setting", { "data-switch": each.name },
    h("label", "", { for: control.id }, t(`switch.${each.name}`), " ", h("code", "", {}, each.name)), control, mark,
    h("p", "switch-help", { id: `switch-${each.name}-help` }, each.help));
  controls.set(each.name, { node, control, mark });
  return node;
}

const count = h("span", "switch-count");
panel.replaceChildren(
  h("p", "variant-choice", {}, h("label", "", { for: "variant" }, t("variant.label")), variants, whatIs("variant")),
  h("details", "", {}, h("summary", "", {}, h("b", "", {}, t("switches.summary")), " ", count),
    h("p", "switch-lead", {}, t("switches.lead")), h("div", "switch-grid", {}, ...SWITCHES.map(switchNode))));

/** The values, and the marks of what differs from the variant. */
function paint() {
  variants.value = props.value.variant;
  const other = differing();
  for (const each of SWITCHES) {
    const { node, control, mark } = controls.get(each.name);
    const differs = other.includes(each);
    control.value = String(valueOf(each));
    node.classList.toggle("differs", differs);
    mark.textContent = differs ? `≠ ${t("switches.differs", { value: each.in[props.value.variant] })}` : "";
  }
  count.textContent = other.length === 0 ? t("switches.same") : other.length === 1 ? t("switches.one") : t("switches.many", { count: other.length });
  count.classList.toggle("differs", other.length > 0);
}

paint();
watch("value", paint);
