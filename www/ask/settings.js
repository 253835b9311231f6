// Settings of answers: style, steps, collections and budget. Remembered for the next visit.

import { byId, h } from "../dom.js";
import { nameOf } from "../library/names.js";
import { observable } from "../observable.js";
import { remember, remembered } from "../remember.js";
import { number } from "../format.js";
import { chosenOf, heldOf } from "./scope.js";
import { lineOf, STEPS, STYLES, USUAL_STEPS, WAYS, wayOf } from "./styles.js";
import { t } from "../words.js";

const BUDGET = [
  { name: "llmCalls", label: t("Model calls"), unit: 1 },
  { name: "tokens", label: t("Tokens"), unit: 1 },
  { name: "ms", label: t("Seconds"), unit: 1000 },
  { name: "toolCalls", label: t("Searches"), unit: 1 },
];
const USUAL = { style: "pipeline", steps: USUAL_STEPS, collections: [], budget: {}, thread: false };

/** `{ style, steps, collections, budget, thread }` as an observable; an empty list of collections means all. */
export function startSettings({ model, veto, goTo }) {
  const settings = observable(readable(remembered("ask", USUAL)));
  const change = (part) => {
    settings.value = { ...settings.value, ...part };
    remember("ask", settings.value);
  };

  const styles = Object.entries(STYLES).map(([name, { label }]) => {
    const input = h("input", { type: "radio", name: "style", value: name, onchange: () => change({ style: name }) });
    return { name, input, pill: h("label.pill", {}, input, h("span", {}, label)) };
  });
  byId("styles").append(...styles.map(({ pill }) => pill));
  // A style that is chosen in the options is shown beside the ways that are offered first.
  const other = { input: h("input", { type: "radio", name: "way" }), label: h("span", {}) };
  const otherWay = h("label.pill", { id: "other-way", hidden: true }, other.input, other.label);
  byId("ways").append(otherWay);
  const ways = [...byId("ways").querySelectorAll("input")];
  for (const way of ways) way.addEventListener("change", () => change({ style: way.value }));

  const steps = STEPS.map(({ name, does, always }) => {
    const toggle = () => change({ steps: STEPS.map((step) => step.name).filter((one) => (one === name ? input.checked : settings.value.steps.includes(one))) });
    const input = h("input", { type: "checkbox", name: "step", value: name, disabled: always === true, onchange: toggle });
    return { name, input, pill: h("label.step-choice", {}, input, h("span", {}, h("b", {}, name), h("small", {}, does))) };
  });
  byId("steps").append(...steps.map(({ pill }) => pill));

  const limits = BUDGET.map(({ name, label, unit }) => {
    const note = () => {
      const { [name]: _, ...rest } = settings.value.budget;
      const wanted = Math.round(Number(input.value) * unit);
      change({ budget: wanted > 0 ? { ...rest, [name]: wanted } : rest });
    };
    const input = h("input", { type: "number", min: "1", step: unit === 1 ? "1" : "any", inputMode: "decimal", placeholder: t("no limit"), name, onchange: note });
    return { name, unit, input, field: h("label.limit", {}, h("span", {}, label), input) };
  });
  byId("budget").append(...limits.map(({ field }) => field));

  byId("keep-thread").addEventListener("change", (event) => change({ thread: event.target.checked }));
  byId("ask-veto").addEventListener("change", (event) => (veto.isOn.value = event.target.checked));
  veto.isOn.on((is) => (byId("ask-veto").checked = is));
  byId("choose-model").addEventListener("click", () => goTo("model"));

  settings.on(({ style, steps: chosen, budget, thread }) => {
    for (const { name, input } of styles) input.checked = name === style;
    otherWay.hidden = Object.hasOwn(WAYS, style);
    [other.input.value, other.label.textContent] = otherWay.hidden ? ["", ""] : [style, STYLES[style].label];
    for (const way of ways) way.checked = way.value === style;
    for (const { name, input } of steps) input.checked = input.disabled || chosen.includes(name);
    for (const { name, unit, input } of limits) if (document.activeElement !== input) input.value = budget[name] ? budget[name] / unit : "";
    byId("steps-part").hidden = style !== "pipeline";
    byId("keep-thread").checked = thread;
    tell();
  });
  model.on(tell);

  function tell() {
    const { style, budget } = settings.value;
    const [, most] = STYLES[style].calls(settings.value);
    byId("way-line").textContent = wayOf(style, model.value !== null);
    byId("style-line").textContent = lineOf(style, settings.value, model.value !== null);
    byId("choose-model").hidden = model.value !== null || most === 0;
    byId("budget-part").hidden = model.value === null && Object.keys(budget).length === 0;
  }

  /** Shows the collections to choose from, if there are several. */
  function offer(collections) {
    const held = heldOf(collections);
    byId("collections-part").hidden = held.length < 2;
    const chosen = chosenOf(collections, settings.value.collections);
    // A chosen collection that was emptied since has no pill to deselect it.
    if (held.length > 0 && chosen.length < settings.value.collections.length) change({ collections: chosen });
    byId("ask-collections").replaceChildren(
      ...held.map(({ name, documents, description }) => {
        const toggle = () => {
          const others = settings.value.collections.filter((one) => one !== name);
          change({ collections: input.checked ? [...others, name] : others });
        };
        const input = h("input", { type: "checkbox", name: "collection", value: name, checked: chosen.includes(name), onchange: toggle });
        return h("label.pill", { title: description }, input, h("span", {}, nameOf(name), h("small", {}, ` ${number(documents)}`)));
      }),
    );
  }

  return { settings, change, offer };
}

/** Stored settings may be from an older version of the page. */
function readable({ style, steps, collections, budget, thread }) {
  const list = (value, otherwise) => (Array.isArray(value) && value.every((one) => typeof one === "string") ? value : otherwise);
  const limits = BUDGET.map(({ name }) => [name, budget?.[name]]).filter(([, value]) => Number.isInteger(value) && value > 0);
  return {
    style: Object.hasOwn(STYLES, style ?? "") ? style : USUAL.style,
    steps: list(steps, USUAL.steps),
    collections: list(collections, []),
    budget: Object.fromEntries(limits),
    thread: thread === true,
  };
}
