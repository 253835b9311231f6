// The card of the model in this tab: a file that is dropped, chosen, fetched from this site, or kept from the last visit.

import { byId } from "../dom.js";
import { remember, remembered } from "../remember.js";
import { costOf, fetchModel, hasGraphics, inTabModel, lacking, sizeAt } from "./in-tab.js";
import { startDropping } from "./dropping.js";
import { forgetFile, keepFile, keptFile } from "./kept-file.js";
import { load } from "./loading.js";
import { t } from "../words.js";

const PARTS = { outcome: "in-tab-outcome", progress: "in-tab-progress", cancel: "in-tab-cancel", others: ["in-tab-fetch", "gguf-pick"] };
/** Bytes above which the page asks before it loads a model. */
const LARGE = 700e6;
const KEPT = "keeps-gguf";

/**
 * @param use called with the model
 * @returns `restore({ signal })`, which loads the kept file, and `remind()`, which offers to
 */
export function startInTab(use) {
  const missing = lacking();
  if (missing) {
    byId("in-tab-state").textContent = missing;
    for (const part of byId("in-tab").querySelectorAll("label, input, menu")) part.hidden = true;
    return { restore: () => false, remind: () => {} };
  }
  let hasBegun = false; // whether the user has loaded a model
  /** @type {AbortController | null} */
  let keeping = null; // while a file is written
  const keeps = byId("keep-gguf");
  keeps.checked = remembered(KEPT, false);
  keeps.addEventListener("change", () => {
    remember(KEPT, keeps.checked);
    if (keeps.checked) return;
    byId("in-tab-load").hidden = true;
    if (keeping) keeping.abort(); // removes what is written
    else forgetFile().catch((error) => say("bad", t`The kept file could not be removed from this browser: ${error.message}`));
  });
  const tellGraphics = async () => {
    const has = await hasGraphics();
    byId("in-tab-how").textContent = has ? t("It runs on the graphics card of this device (WebGPU).") : t("It runs on one core of this device, since the browser offers no graphics card (WebGPU). That is slow: take a model with 100 to 500 million parameters.");
  };
  if (byId("model").hidden) byId("model").addEventListener("shown", tellGraphics, { once: true }); // the browser starts a process for it
  else void tellGraphics();

  /** Keeps a file that works. Without room, the model is in use all the same. */
  const keep = async (file, { signal, say }) => {
    const stop = (keeping = new AbortController());
    try {
      await keepFile(file, { signal: AbortSignal.any([signal, stop.signal]) });
    } catch (error) {
      if (signal.aborted || stop.signal.aborted) return;
      const why = error.name === "QuotaExceededError" ? t("There is no room to keep the file in this browser") : t`The file could not be kept in this browser (${error.message})`;
      say("bad", t`${why}: choose it again after a reload.`);
    } finally {
      if (keeping === stop) keeping = null;
    }
  };

  /**
   * Loads a model.
   * @param getFile returns the file
   * @param {{ isRestored?: boolean, isKept?: boolean, within?: AbortSignal }} [how] `isKept`: it is the kept file; `within` cancels the load
   */
  const begin = async (getFile, { isRestored = false, isKept = isRestored, within } = {}) => {
    hasBegun ||= !isRestored;
    byId("in-tab-load").hidden = true;
    const model = await load({ ...PARTS, focuses: !isRestored, within }, async ({ signal, onProgress, say }) => {
      const file = await getFile({ signal, onProgress, say });
      onProgress(null);
      say("busy", t`Loading ${file.name}. ${told(file.size)}`);
      const model = await inTabModel(file, { signal });
      if (keeps.checked && !isKept) await keep(file, { signal, say });
      return model;
    });
    if (model) use(model, isRestored);
    return model;
  };

  /** Says what a large model takes, and loads it when the user agrees. */
  const plan = (name, size, getFile) => {
    if (size < LARGE) return void begin(getFile);
    say("busy", t`${name}: ${told(size)} Load it?`);
    offer(t("Load it"), () => void begin(getFile));
    byId("in-tab-load").focus();
  };
  const take = (file) => plan(file.name, file.size, () => file);

  byId("gguf-pick").addEventListener("click", () => byId("gguf").click());
  byId("gguf").addEventListener("change", () => {
    const [file] = byId("gguf").files;
    byId("gguf").value = ""; // so that the same file can be chosen again
    if (file) take(file);
  });
  startDropping(byId("in-tab"), take);
  byId("in-tab-fetch").addEventListener("click", async () => {
    const address = byId("gguf-address").value.trim();
    if (!address) return byId("gguf-address").focus();
    const fetched = ({ signal, onProgress, say }) =>
      fetchModel(address, {
        signal,
        onProgress(loaded, total) {
          onProgress(total ? loaded / total : null);
          say("busy", t`Fetching: ${megabytes(loaded)}${total ? t` of ${megabytes(total)}` : ""} MB`);
        },
      });
    byId("in-tab-fetch").disabled = true;
    const size = await sizeAt(address, { signal: AbortSignal.timeout(5_000) }).catch(() => 0);
    byId("in-tab-fetch").disabled = false;
    return plan(address.split("/").at(-1), size, fetched);
  });

  /** Loads the kept file again, and resolves to whether there is one and it could be loaded. */
  async function restore({ signal }) {
    const file = keeps.checked ? await keptFile() : null;
    if (file === null || hasBegun || signal.aborted) return false;
    return (await begin(() => file, { isRestored: true, within: signal })) !== null;
  }

  /** Offers to load the kept file, unless that model is used already. */
  async function remind() {
    const file = keeps.checked ? await keptFile() : null;
    if (file) offer(t`Load ${file.name} again`, () => void begin(() => file, { isKept: true }));
  }
  return { restore, remind: () => void remind() };
}

function offer(text, load) {
  Object.assign(byId("in-tab-load"), { hidden: false, textContent: text, onclick: load });
}

function say(state, text) {
  Object.assign(byId("in-tab-outcome"), { hidden: false, textContent: text }).dataset.state = state;
}

/** Returns what loading a file takes. */
function told(size) {
  const { memory, seconds } = costOf(size);
  return t`${megabytes(size)} MB, about ${megabytes(memory)} MB of memory, and about ${seconds} s to load.`;
}

const megabytes = (bytes) => Math.max(1, Math.round(bytes / 1e6));
