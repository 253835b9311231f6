// Registers the service worker, which makes the page work offline.

import { byId } from "./dom.js";
import { reload } from "./kept-question.js";
import { complain } from "./notice.js";
import { t } from "./words.js";

const workers = navigator.serviceWorker;
/** Messages of the service worker about its files, and the value of `data-offline` on the page's body for each. */
const STATES = { kept: "ready", updated: "ready", full: "full", "not kept": "failed" };
const TOLD = {
  ready: t("This page also works offline."),
  full: t("There is no space to store this page for offline use: it works only while you are online."),
  failed: t("This page does not work offline yet: some of its files could not be loaded. The next visit tries again."),
  none: t("This page does not work offline: the browser does not support it."),
};
/** Replies of the service worker to the tab that requests the new version. */
const ANSWERS = {
  promoted: reload,
  "other tabs": () => complain({ message: t("Other tabs are using the present version of this page. Close this page’s other tabs first, then press “New version: reload” again.") }),
  "not promoted": () => complain({ message: t("The new version could not be installed. Free some disk space, then press “New version: reload” again.") }),
};

/** Without a service worker, as on insecure addresses, the page works online only. */
export async function startOffline() {
  if (!workers) return tell("none");
  workers.addEventListener("message", ({ data }) => {
    ANSWERS[data]?.();
    if (!STATES[data]) return;
    tell(STATES[data]);
    byId("update").hidden = data !== "updated";
  });
  byId("update").addEventListener("click", async () => (await workers.ready).active.postMessage("update"));
  const registration = await workers.register("sw.js").catch(() => null);
  if (workers.controller) return;
  if (!registration) return tell("none");
  registration.active?.postMessage("claim"); // it was active, but a forced reload bypassed it
}

function tell(state) {
  document.body.dataset.offline = state;
  byId("offline-told").textContent = TOLD[state];
}

/** Caches everything the page may need, once the network is idle. */
export async function keepForOffline() {
  const { active } = (await workers?.ready) ?? {};
  active?.postMessage("keep");
}
