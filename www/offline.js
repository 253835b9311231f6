// The service worker, by which the page works without a network.

import { byId } from "./dom.js";
import { complain } from "./notice.js";

const workers = navigator.serviceWorker;
/** It is hardly worth waiting longer before anything begins. */
const PATIENCE = 2000;
/** What it says of the files it keeps, and what `data-offline` of the page's body tells of that. */
const STATES = { kept: "ready", updated: "ready", full: "full", "not kept": "failed" };
const TOLD = {
  ready: "This page works offline as well.",
  full: "There is no room to keep this page for use offline: it works while you are connected.",
  failed: "This page does not work offline yet: not all of its files came. The next visit tries again.",
  none: "This page does not work offline: the browser does not keep it.",
};
/** What it answers to whoever asks for the new version. */
const ANSWERS = {
  promoted: () => location.reload(),
  "other tabs": () => complain({ message: "Other tabs have this page open in its present version. Close this page’s other tabs first, then press “New version: reload” again." }),
  "not promoted": () => complain({ message: "The new version could not be put in its place. Free some disk space, then press “New version: reload” again." }),
};

/**
 * Done when the service worker has the page in its care, so that workers begin under its policy; on a first visit, that
 * takes a moment. Without one, as on insecure addresses, the page works all the same, but not offline.
 */
export async function startOffline() {
  if (!workers) return tell("none");
  workers.addEventListener("message", ({ data }) => {
    ANSWERS[data]?.();
    if (!STATES[data]) return;
    tell(STATES[data]);
    byId("update").hidden = data !== "updated";
  });
  byId("update").addEventListener("click", async () => (await workers.ready).active.postMessage("update"));
  const registering = workers.register("sw.js").catch(() => null);
  if (workers.controller) return;
  const inCare = new Promise((resolve) => workers.addEventListener("controllerchange", resolve, { once: true }));
  const registration = await registering;
  if (!registration) return tell("none");
  registration.active?.postMessage("claim"); // it was there, but a forced reload went past it
  await Promise.race([inCare, new Promise((resolve) => setTimeout(resolve, PATIENCE))]);
}

function tell(state) {
  document.body.dataset.offline = state;
  byId("offline-told").textContent = TOLD[state];
}

/** Keeps everything the page may need, once nobody waits for the network. */
export async function keepForOffline() {
  const { active } = (await workers?.ready) ?? {};
  active?.postMessage("keep");
}
