// The service worker, by which the page works without a network.

import { byId } from "./dom.js";

const workers = navigator.serviceWorker;
/** It is hardly worth waiting longer before anything begins. */
const PATIENCE = 2000;
/** What it says, and what `data-offline` of the page's body tells of it. */
const STATES = { kept: "ready", updated: "ready", full: "full", "not kept": "failed" };

/**
 * Done when the service worker has the page in its care, so that workers begin under its policy; on a first visit, that
 * takes a moment. Without one, as on insecure addresses, the page works all the same, but not offline.
 */
export async function startOffline() {
  if (!workers) return;
  workers.addEventListener("message", ({ data }) => {
    if (!STATES[data]) return;
    document.body.dataset.offline = STATES[data];
    byId("update").hidden = data !== "updated";
  });
  byId("update").addEventListener("click", () => location.reload());
  const registering = workers.register("sw.js").catch(() => null);
  if (workers.controller) return;
  const inCare = new Promise((resolve) => workers.addEventListener("controllerchange", resolve, { once: true }));
  const registration = await registering;
  if (!registration) return;
  registration.active?.postMessage("claim"); // it was there, but a forced reload went past it
  await Promise.race([inCare, new Promise((resolve) => setTimeout(resolve, PATIENCE))]);
}

/** Keeps everything the page may need, once nobody waits for the network. */
export async function keepForOffline() {
  const { active } = (await workers?.ready) ?? {};
  active?.postMessage("keep");
}
