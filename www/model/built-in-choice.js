// The card of the browser's built-in model.

import { byId } from "../dom.js";
import { availability, builtInModel } from "./built-in.js";
import { load } from "./loading.js";
import { t } from "../words.js";

const STATES = {
  available: t("This browser has a language model, and it is ready. Nothing leaves this device."),
  downloadable: t("This browser has a language model, but must download it first: several gigabytes, from the maker of the browser. After that, nothing leaves this device."),
  downloading: t("The browser is downloading its language model. After that, nothing leaves this device."),
  unavailable: t("This browser has a language model, but not for this device: memory, disk space or a graphics card is missing, or the model is disabled."),
};
const NONE = t("This browser has no language model of its own. Chrome and Edge have one, on sufficiently powerful computers.");

/**
 * @param use called with the model
 * @returns `restore({ signal })`, which uses a model that is ready, and resolves to whether there is one
 */
export function startBuiltIn(use) {
  let hasBegun = false; // whether the user has begun to prepare it
  /** @param {boolean} isRestored @param {AbortSignal} [within] cancels the preparation */
  const begin = async (isRestored, within) => {
    hasBegun ||= !isRestored;
    const parts = { outcome: "built-in-outcome", progress: "built-in-progress", cancel: "built-in-cancel", others: ["built-in-use"], focuses: !isRestored, within };
    const model = await load(parts, ({ signal, onProgress, say }) => {
      say("busy", t("Preparing the model…"));
      return builtInModel({
        signal,
        onProgress(share) {
          onProgress(share);
          say("busy", share < 1 ? t`The browser is downloading its model: ${Math.floor(share * 100)} %` : t("Preparing the model…"));
        },
      });
    });
    if (model) use(model, isRestored);
    await tell();
    return model !== null;
  };
  byId("built-in-use").addEventListener("click", () => void begin(false));
  void tell();

  /** Prepares a model that is there, and resolves to whether there is one; one that would have to be downloaded waits for a click. */
  const restore = async ({ signal }) => (await availability()) === "available" && !hasBegun && !signal.aborted && begin(true, signal);
  return { restore };
}

async function tell() {
  const state = await availability();
  byId("built-in-state").textContent = STATES[state] ?? NONE;
  byId("built-in").querySelector("menu").hidden = state === null || state === "unavailable";
  byId("built-in").classList.toggle("is-missing", state === null);
  byId("built-in-use").textContent = state === "available" ? t("Use it") : t("Download and use it");
}
