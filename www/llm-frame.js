// The only script that may connect to another origin: it sends the page's requests to the one endpoint that its frame was created for, and
// returns the responses. Runs in a frame of its own (llm-frame.html), whose address names the endpoint after `#`.

const base = new URL(decodeURIComponent(location.hash.slice(1)));
const within = base.href.replace(/\/?$/, "/");
const isIpv6 = base.host.startsWith("[");
bind();

addEventListener("message", async ({ origin, source, data, ports: [port] }) => {
  if (origin !== location.origin || source !== parent || !port) return;
  const abort = new AbortController();
  port.onmessage = () => abort.abort(); // the page's only message: it aborts
  try {
    const { url, method, headers, body, probe } = data;
    check(probe ?? url);
    if (probe) return port.postMessage({ there: await isThere(probe, abort.signal) });
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

/** Adds a policy by which the browser limits this frame to the endpoint and the paths below it. */
function bind() {
  const path = base.pathname.replace(/\/$/, "").replaceAll(";", "%3B").replaceAll(",", "%2C"); // these characters would end a source expression
  const root = `${base.protocol}//${base.host}${path}`;
  // A policy cannot contain IPv6 addresses: for these, `check` is the only protection.
  const sources = isIpv6 ? base.protocol : path ? `${root} ${root}/` : `${root}/`;
  document.head.append(Object.assign(document.createElement("meta"), { httpEquiv: "Content-Security-Policy", content: `connect-src ${sources}` }));
}

function check(address) {
  const { href } = new URL(address);
  if (href !== base.href && !href.startsWith(within)) throw new Error(`This frame may only connect to ${base.href}, not to ${href}.`);
}

/**
 * Returns whether a server answers: true, false, or null if unknown. The request has no key and no body and needs no
 * permission (CORS), and its response cannot be read. Browsers follow redirects of such a request whatever `redirect` says, so the policy
 * above has to block them. It cannot if the host is an IPv6 address: then nothing is sent.
 */
async function isThere(url, signal) {
  if (isIpv6) return null;
  let isRedirected = false; // the policy blocked a redirect, so a server answered
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
