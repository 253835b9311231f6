// The language model: on a server, in this tab, or the browser's own. At most one is in use.

import { byId } from "../dom.js";
import { remember, remembered } from "../remember.js";
import { startBuiltIn } from "./built-in-choice.js";
import { startEndpoint } from "./endpoint-choice.js";
import { startInTab } from "./in-tab-choice.js";
import { t } from "../words.js";

/** The model that was last in use: `{ kind, name, where, isKeyed }`. Its form remembers the address; a key is kept for the session at most. */
const REMEMBERED = "model";

/** @param app what the parts of the page share: see main.js; sets its `model` and `absent` */
export function startModel({ model, absent, goTo }) {
  const restoring = new AbortController(); // aborted when the user has chosen
  /** @param isRestored whether it was in use before the page was reloaded, and is again by itself */
  const use = (chosen, isRestored = false) => {
    if (isRestored && restoring.signal.aborted) return void chosen.close?.();
    if (!isRestored) restoring.abort();
    const before = model.value;
    absent.value = null;
    byId("model-restored").hidden = !isRestored;
    model.value = chosen;
    before?.close?.(); // frees its memory
    if (before?.kind === "endpoint" && chosen?.kind !== "endpoint") choices.endpoint.release();
    remember(REMEMBERED, chosen && { kind: chosen.kind, name: chosen.name, where: chosen.host ?? null, isKeyed: chosen.isKeyed === true });
  };
  const choices = { endpoint: startEndpoint(use), "built-in": startBuiltIn(use), "in-tab": startInTab(use) };

  byId("forget-llm").addEventListener("click", () => {
    use(null);
    choices["in-tab"].remind();
    byId("tab-model").focus(); // the button is gone with the model
  });
  model.on((chosen) => {
    byId("llm-name").textContent = chosen?.name ?? t("none");
    byId("forget-llm").hidden = chosen === null;
    tell();
    for (const [kind, id] of Object.entries(CARDS)) byId(id).classList.toggle("is-used", chosen?.kind === kind);
  });

  // Restores the model of the last visit if possible: at once, or as soon as it is loaded again.
  const last = remembered(REMEMBERED, null);
  if (last && Object.hasOwn(CARDS, last.kind)) {
    const isKeyLost = last.kind === "endpoint" && last.isKeyed && byId("key").value === "";
    const restored = isKeyLost ? false : choices[last.kind].restore(restoring); // whether it was, now or as a promise
    if (restored === false) absent.value = last;
    else if (restored !== true) {
      absent.value = { ...last, isLoading: true };
      void restored.then((is) => {
        if (!is && absent.value?.isLoading) absent.value = last;
      });
    }
  }
  if (last?.kind !== "in-tab") choices["in-tab"].remind();
  absent.on(tell);
  byId("absent-choose").addEventListener("click", () => {
    goTo("model");
    const { kind, isLoading } = absent.value;
    byId(isLoading ? CARDS[kind] : FIELDS[kind]).scrollIntoView({ block: "nearest" });
    if (!isLoading) byId(FIELDS[kind]).focus();
  });
  byId("absent-without").addEventListener("click", () => {
    use(null);
    byId("question").focus(); // the button that had the focus is gone
  });

  function tell() {
    const missing = absent.value;
    const lacks = missing && t`${missing.name}${missing.where ? t` at ${missing.where}` : ""} was in use before the page was reloaded: ${missing.isLoading ? t("it is being loaded again") : LACKS[missing.kind]}`;
    byId("model-now").textContent = model.value
      ? t`In use: ${model.value.name}, ${WHERE[model.value.kind](model.value)}.`
      : t`In use: none. ${missing ? `${lacks}.` : t("Nothing leaves this tab.")}`;
    byId("model-absent").hidden = missing === null;
    byId("absent-told").textContent = missing ? `${lacks}.` : "";
    byId("absent-choose").textContent = missing?.isLoading ? t("See how far it is") : missing?.kind === "endpoint" ? t("Enter the key") : t("Choose it again");
  }
}

/** What a model lacks after the page was reloaded, and the field or button that helps. */
const LACKS = { endpoint: t("its key is not stored"), "built-in": t("it has to be prepared again"), "in-tab": t("its file has to be chosen again") };
const FIELDS = { endpoint: "key", "built-in": "built-in-use", "in-tab": "gguf-pick" };

const CARDS = { endpoint: "settings-form", "built-in": "built-in", "in-tab": "in-tab" };
const WHERE = {
  endpoint: ({ host }) => t`at ${host}`,
  "built-in": () => t("the browser’s own; nothing leaves this device"),
  "in-tab": () => t("in this tab; nothing leaves it"),
};
