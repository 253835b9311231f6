// The service worker, by which the page works without a network.

const workers = navigator.serviceWorker;

/** Without a service worker, as on insecure addresses, the page works all the same, but not offline. */
export async function startOffline() {
  workers?.addEventListener("message", ({ data }) => data === "kept" && (document.body.dataset.offline = "ready"));
  await workers?.register("sw.js").catch(() => {});
}

/** Keeps everything the page may need, once nobody waits for the network. */
export async function keepForOffline() {
  const { active } = (await workers?.ready) ?? {};
  active?.postMessage("keep");
}
