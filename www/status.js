// The status bar: every step visually, and only changes of state for screen readers.

import { byId } from "./dom.js";
import { about } from "./format.js";
import { t } from "./words.js";

const heard = new Set(); // announced since the last idle state

/**
 * @param state `busy`, `ready`, `partly` (keyword search only, and nothing running), or `failed`
 * @param spoken the announcement; repeated ones are made once
 */
export function status(state, text, spoken = text) {
  byId("status").dataset.state = state;
  byId("status-text").textContent = text;
  if (state !== "busy") heard.clear();
  else if (heard.has(spoken)) return;
  heard.add(spoken);
  if (byId("status-said").textContent !== spoken) byId("status-said").textContent = spoken;
}

/** Shows the knowledge base's progress, except for vectors: see embedding-status.js. */
export function showProgress({ phase, loaded, total, secondsLeft }) {
  const left = secondsLeft ? `, ${about(1000 * secondsLeft)}` : "";
  const megabytes = (bytes) => (bytes / 1e6).toFixed(0);
  const [spoken, text] = {
    embed: () => [t("Learning meanings. You can ask already."), t("Learning meanings. You can ask already.")],
    model: () => loaded === total
      ? [t("Starting the search model…"), t("Starting the search model…")]
      : [t("Fetching the search model…"), t`Fetching the search model: ${megabytes(loaded)}${total ? t` of ${megabytes(total)}` : ""} MB${left}`],
    read: () => [t("Reading documents…"), t`Reading ${loaded} of ${total} documents`],
  }[phase]();
  status("busy", text, spoken);
}
