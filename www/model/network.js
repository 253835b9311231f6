// What browsers allow between a page and an address, whatever the server there says: mixed content, and access to the local network.

import { t } from "../words.js";

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\]|.*\.localhost)$/;
const LOCAL = /^(10(\.\d+){3}|192\.168(\.\d+){2}|172\.(1[6-9]|2\d|3[01])(\.\d+){2}|169\.254(\.\d+){2}|\[f[cde][0-9a-f:]*\]|.*\.local|.*\.internal)$/i;
/** Names of the permission: newer browsers have one for this device and one for others. */
const PERMISSIONS = { device: ["loopback-network", "local-network-access"], network: ["local-network", "local-network-access"] };

/** Returns where a host is: on this `device`, on the local `network`, or `null` for anywhere else. */
export const placeOf = (hostname) => (LOOPBACK.test(hostname) ? "device" : LOCAL.test(hostname) ? "network" : null);

/** Returns what is wrong with an address for a page of this protocol, or null. */
export function mixedContent({ protocol, hostname, port }, page = location) {
  if (page.protocol !== "https:" || protocol !== "http:" || placeOf(hostname) === "device") return null;
  const local = port === "" ? "http://localhost" : `http://localhost:${port}`;
  return t`This page was loaded by https, and browsers allow such a page to use http on this device only. Either enter an address of ${hostname} that starts with https, or run the server on this device and enter ${local}/v1.`;
}

/** Returns whether the browser lets this page reach an address on this device or network: `granted`, `denied`, `prompt`, or null where it does not ask. */
export async function localAccess(base) {
  const place = placeOf(new URL(base).hostname);
  if (place === null) return null;
  for (const name of PERMISSIONS[place]) {
    const state = await navigator.permissions?.query(/** @type {any} */ ({ name })).then(({ state }) => state, () => null);
    if (state) return state;
  }
  return null;
}

/** Returns what the browser itself does about an address, as `{ isDenied, text }`: whether it lets nothing through, and what to do. */
export async function blockedBy(base, page = location) {
  const access = await localAccess(base);
  const where = placeOf(new URL(base).hostname) === "device" ? t("programs on this device") : t("devices on your network");
  if (access === "denied") {
    const text = t`The browser does not let this page reach ${where}. Click the icon to the left of the page’s address, open the site’s settings, allow access to the local network, and test again.`;
    return { isDenied: true, text };
  }
  if (access === "prompt") return { isDenied: false, text: t`If the browser asks whether this page may reach ${where}, allow it, and test again.` };
  const isMixed = page.protocol === "https:" && base.startsWith("http:");
  const text = isMixed ? t("Some browsers, such as Safari, do not let a page that was loaded by https reach http on this device: use another browser, or give the server https.") : "";
  return { isDenied: false, text };
}
