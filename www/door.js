// The only script that may reach another origin: it sends what the page hands it to the one endpoint that its frame was made for, and
// hands back what comes. Runs in a frame of its own (door.html), at an address whose `#` names that endpoint.

const base = new URL(decodeURIComponent(location.hash.slice(1)));
const within = base.href.replace(/\/?$/, "/");
const isIpv6 = base.host.startsWith("[");
bind();

addEventListener("message", async ({ origin, source, data, ports: [port] }) => {
  if (origin !== location.origin || source !== parent || !port) return;
  const abort = new AbortController();
  port.onmessage = () => abort.abort(); // the page says but one thing: that it no longer waits
  try {
    const { url, method, headers, body, knock } = data;
    check(knock ?? url);
    if (knock) return port.postMessage({ there: await isThere(knock, abort.signal) });
    const response = await fetch(url, { method, headers, body, signal: abort.signal, referrerPolicy: "no-referrer", redirect: "error" });
    port.postMessage({ status: response.status, headers: [...response.headers] });
    for (const reader = response.body?.getReader(); reader; ) {
      const { done, value } = await reader.read();
      if (done) break;
      port.postMessage({ part: value }, [value.buffer]);
    }
    port.postMessage({ end: true });
  } catch (error) {
    port.postMessage({ failed: String(error?.message ?? error) });
  }
});

/** From here on the browser itself lets this frame reach that endpoint alone, and what is below it. */
function bind() {
  const path = base.pathname.replace(/\/$/, "").replaceAll(";", "%3B").replaceAll(",", "%2C"); // they would end a source
  const root = `${base.protocol}//${base.host}${path}`;
  // A policy has no way to write an IPv6 address: there, `check` is all there is.
  const sources = isIpv6 ? base.protocol : path ? `${root} ${root}/` : `${root}/`;
  document.head.append(Object.assign(document.createElement("meta"), { httpEquiv: "Content-Security-Policy", content: `connect-src ${sources}` }));
}

function check(address) {
  const { href } = new URL(address);
  if (href !== base.href && !href.startsWith(within)) throw new Error(`This door leads to ${base.href} alone, not to ${href}.`);
}

/**
 * Whether anybody answers: true, false, or null where that cannot be found out. The request has no key and no body and needs no
 * permission (CORS), and its answer cannot be read. Browsers follow redirects of such a request whatever `redirect` says, so the policy
 * above has to stop them. It cannot where the host is an IPv6 address: there, nothing is sent.
 */
async function isThere(url, signal) {
  if (isIpv6) return null;
  let isRedirected = false; // the policy stopped a redirect: somebody answered
  const stopped = () => (isRedirected = true);
  addEventListener("securitypolicyviolation", stopped);
  try {
    await fetch(url, { mode: "no-cors", credentials: "omit", referrerPolicy: "no-referrer", signal });
    return true;
  } catch {
    await new Promise((resolve) => setTimeout(resolve, 50)); // the event comes after the failure
    return isRedirected;
  } finally {
    removeEventListener("securitypolicyviolation", stopped);
  }
}

parent.postMessage("open", location.origin);
