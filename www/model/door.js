// `fetch` for the language model alone: by way of the frame door.html, because this page may not reach another origin. Each frame leads
// to one endpoint.

const TIME_TO_OPEN = 10_000;
const doors = new Map(); // by the endpoint's address, `{ opened, busy }`: the frame, and how many wait for something from it

/**
 * As `fetch`, for text bodies. Rejects where the endpoint cannot be reached, with what the browser says of it.
 *
 * @param {string} base the endpoint's address
 * @param {string | URL} url an address there
 * @param {{ method?: string, headers?: Record<string, string>, body?: string, signal?: AbortSignal }} [request]
 */
export async function fetchThroughDoor(base, url, { method = "GET", headers = {}, body, signal } = {}) {
  signal?.throwIfAborted();
  const { port, leave: left } = await handOver(base, { url: String(url), method, headers, body });
  return new Promise((resolve, reject) => {
    let parts = null; // the body's controller, once the head of the answer is there
    const over = () => {
      port.close();
      signal?.removeEventListener("abort", leave);
      left();
    };
    const stop = (error) => {
      over();
      if (parts) parts.error(error);
      else reject(error);
    };
    const leave = () => {
      port.postMessage("abort");
      stop(signal.reason);
    };
    signal?.addEventListener("abort", leave);
    port.onmessage = ({ data }) => {
      if (data.status !== undefined) {
        const stream = new ReadableStream({ start: (controller) => (parts = controller), cancel: () => port.postMessage("abort") });
        resolve(new Response(mayHaveBody(data.status) ? stream : null, data));
      } else if (data.part) parts.enqueue(data.part);
      else if (data.failed !== undefined) stop(new TypeError(data.failed));
      else {
        over();
        parts.close();
      }
    };
  });
}

/** Whether anybody answers at an endpoint, if only what this page may not read; null where that cannot be found out. Rejects with the signal. */
export async function isAnyoneThere(base, { signal }) {
  signal.throwIfAborted();
  const { port, leave: left } = await handOver(base, { knock: base });
  return new Promise((resolve, reject) => {
    const over = () => {
      port.close();
      signal.removeEventListener("abort", leave);
      left();
    };
    const leave = () => {
      port.postMessage("abort");
      over();
      reject(signal.reason);
    };
    signal.addEventListener("abort", leave, { once: true });
    port.onmessage = ({ data }) => {
      over();
      resolve(data.there ?? null);
    };
  });
}

const mayHaveBody = (status) => ![204, 205, 304].includes(status);

/** Gives a request to the door of an endpoint: the port to hear from, and what to call once nothing more is awaited. */
async function handOver(base, request) {
  for (const [address, { opened, busy }] of doors) {
    if (address === base || busy > 0) continue;
    doors.delete(address); // another endpoint was named since
    opened.then((frame) => frame.remove(), () => {});
  }
  if (!doors.has(base)) doors.set(base, { opened: open(base), busy: 0 });
  const door = doors.get(base);
  door.busy += 1;
  let isLeft = false;
  const leave = () => {
    if (!isLeft) door.busy -= 1;
    isLeft = true;
  };
  try {
    const frame = await door.opened;
    const { port1: port, port2: theirs } = new MessageChannel();
    frame.contentWindow.postMessage(request, location.origin, [theirs]);
    return { port, leave };
  } catch (error) {
    leave();
    doors.delete(base); // the next request tries again
    throw error;
  }
}

function open(base) {
  const made = document.createElement("iframe");
  const address = new URL("../door.html", import.meta.url);
  address.hash = encodeURIComponent(base);
  Object.assign(made, { src: address.href, hidden: true, title: "The way to the language model" });
  const opened = new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      made.remove();
      reject(new Error("The page's own door.html did not load. Reload the page."));
    }, TIME_TO_OPEN);
    addEventListener("message", function heard({ source, data }) {
      if (source !== made.contentWindow || data !== "open") return;
      removeEventListener("message", heard);
      clearTimeout(late);
      resolve(made);
    });
  });
  document.body.append(made);
  return opened;
}
