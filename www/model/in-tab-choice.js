// The card of the model in this tab.

import { byId } from "../dom.js";
import { fetchModel, inTabModel, lacking } from "./in-tab.js";
import { load } from "./loading.js";

const PARTS = { outcome: "in-tab-outcome", progress: "in-tab-progress", cancel: "in-tab-cancel", others: ["in-tab-fetch", "gguf-pick"] };

/** @param use called with the model */
export function startInTab(use) {
  const missing = lacking();
  if (missing) {
    byId("in-tab-state").textContent = missing;
    for (const part of byId("in-tab").querySelectorAll("label, input, menu")) part.hidden = true;
    return;
  }

  const begin = async (getFile) => {
    const model = await load(PARTS, async ({ signal, onProgress, say }) => {
      const file = await getFile({ signal, onProgress, say });
      onProgress(null);
      say("busy", `Loading ${file.name}, ${megabytes(file.size)} MB. This takes a few seconds per 100 MB.`);
      return inTabModel(file, { signal });
    });
    if (model) use(model);
  };

  byId("gguf-pick").addEventListener("click", () => byId("gguf").click());
  byId("gguf").addEventListener("change", () => {
    const [file] = byId("gguf").files;
    byId("gguf").value = ""; // so that the same file can be chosen again
    if (file) void begin(() => file);
  });
  byId("in-tab-fetch").addEventListener("click", () => {
    const address = byId("gguf-address").value.trim();
    if (!address) return byId("gguf-address").focus();
    void begin(({ signal, onProgress, say }) =>
      fetchModel(address, {
        signal,
        onProgress(loaded, total) {
          onProgress(total ? loaded / total : null);
          say("busy", `Fetching: ${megabytes(loaded)}${total ? ` of ${megabytes(total)}` : ""} MB`);
        },
      }));
  });
}

const megabytes = (bytes) => Math.max(1, Math.round(bytes / 1e6));
