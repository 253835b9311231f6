// How far the page is: each step in the bar for those who see it, and the changes of state alone for those who have it read to them.

import { byId } from "./dom.js";

const heard = new Set(); // since something was over

/**
 * @param state `busy`, `ready`, `partly` (searched by words, and nothing under way), or `failed`
 * @param spoken what is read out; what goes on and on is said once
 */
export function status(state, text, spoken = text) {
  byId("status").dataset.state = state;
  byId("status-text").textContent = text;
  if (state !== "busy") heard.clear();
  else if (heard.has(spoken)) return;
  heard.add(spoken);
  if (byId("status-said").textContent !== spoken) byId("status-said").textContent = spoken;
}

/** Progress as the knowledge base tells it, but for the vectors: see understanding.js. */
export function showProgress({ phase, loaded, total }) {
  const megabytes = (bytes) => (bytes / 1e6).toFixed(0);
  const [spoken, text] = {
    embed: () => ["Searchable by words. Understanding passages…", "Searchable by words. Understanding passages…"],
    model: () => loaded === total
      ? ["Starting the search model…", "Starting the search model…"]
      : ["Fetching the search model…", `Fetching the search model: ${megabytes(loaded)}${total ? ` of ${megabytes(total)}` : ""} MB`],
    read: () => ["Reading documents…", `Reading ${loaded} of ${total} documents`],
  }[phase]();
  status("busy", text, spoken);
}
