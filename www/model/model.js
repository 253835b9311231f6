// The language model: at an address, built into the browser, or a file in this tab. Exactly one is in use, or none.

import { byId } from "../dom.js";
import { startBuiltIn } from "./built-in-choice.js";
import { startEndpoint } from "./endpoint-choice.js";
import { startInTab } from "./in-tab-choice.js";

/** @param app what the parts of the page share: see main.js; here its `model` is chosen */
export function startModel({ model }) {
  const use = (chosen) => {
    const before = model.value;
    model.value = chosen;
    before?.close?.(); // what it held of the memory is free again
  };
  startEndpoint(use);
  startBuiltIn(use);
  startInTab(use);

  byId("forget-llm").addEventListener("click", () => {
    use(null);
    byId("tab-model").focus(); // the button is gone with the model
  });
  model.on((chosen) => {
    byId("llm-name").textContent = chosen?.name ?? "none";
    byId("model-now").textContent = chosen ? `In use: ${chosen.name}, ${WHERE[chosen.kind](chosen)}.` : "In use: none. Nothing leaves this tab.";
    byId("forget-llm").hidden = chosen === null;
    for (const [kind, id] of Object.entries(CARDS)) byId(id).classList.toggle("is-used", chosen?.kind === kind);
  });
}

const CARDS = { endpoint: "settings-form", "built-in": "built-in", "in-tab": "in-tab" };
const WHERE = {
  endpoint: ({ host }) => `at ${host}`,
  "built-in": () => "the browser’s own; nothing leaves this device",
  "in-tab": () => "in this tab; nothing leaves it",
};
