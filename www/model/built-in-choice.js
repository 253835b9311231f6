// The card of the browser's own model.

import { byId } from "../dom.js";
import { availability, builtInModel } from "./built-in.js";
import { load } from "./loading.js";

const STATES = {
  available: "This browser has a language model, and it is here. Nothing leaves this device.",
  downloadable: "This browser has a language model, but must fetch it first: several gigabytes, from the maker of the browser. Then nothing leaves this device.",
  downloading: "The browser is fetching its language model. Nothing leaves this device once it is here.",
  unavailable: "This browser has a language model, but not for this device: it lacks memory, disk space or a graphics card, or it is switched off.",
};
const NONE = "This browser has none. Chrome and Edge have one, on computers that are strong enough for it.";

/** @param use takes the model to be used */
export function startBuiltIn(use) {
  byId("built-in-use").addEventListener("click", async () => {
    const parts = { outcome: "built-in-outcome", progress: "built-in-progress", cancel: "built-in-cancel", others: ["built-in-use"] };
    const model = await load(parts, ({ signal, onProgress, say }) => {
      say("busy", "Making it ready…");
      return builtInModel({
        signal,
        onProgress(share) {
          onProgress(share);
          say("busy", share < 1 ? `The browser is fetching its model: ${Math.floor(share * 100)} %` : "Making it ready…");
        },
      });
    });
    if (model) use(model);
    await tell();
  });
  void tell();
}

async function tell() {
  const state = await availability();
  byId("built-in-state").textContent = STATES[state] ?? NONE;
  byId("built-in").querySelector("menu").hidden = state === null || state === "unavailable";
  byId("built-in-use").textContent = state === "available" ? "Use it" : "Fetch and use it";
}
