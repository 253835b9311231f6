// The only script that may reach another origin: it sends what the page hands it to the endpoint the user named, and hands back
// what comes. Runs in a frame of its own (door.html), whose policy allows that and nothing else.

addEventListener("message", async ({ origin, source, data, ports: [port] }) => {
  if (origin !== location.origin || source !== parent || !port) return;
  const abort = new AbortController();
  port.onmessage = () => abort.abort(); // the page says but one thing: that it no longer waits
  try {
    const { url, method, headers, body, knock } = data;
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

/** A request without a key or a body, that wants no leave; what comes cannot be read. It fails only where nobody answers. */
const isThere = (url, signal) => fetch(url, { mode: "no-cors", credentials: "omit", referrerPolicy: "no-referrer", signal }).then(() => true, () => false);

parent.postMessage("open", location.origin);
