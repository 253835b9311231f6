// `fetch` for the language model, through the frame llm-frame.html, because this page may not connect to another origin. Each frame connects
// to one endpoint.

import { t } from "../words.js";

const TIME_TO_OPEN = 10_000;
const frames = new Map(); // by endpoint address, `{ opened, busy }`: the frame, and the number of pending requests

/**
 * Like `fetch`, for text bodies. Rejects with the browser's message if the endpoint cannot be reached.
 *
 * @param {string} base the endpoint's address
 * @param {string | URL} url an address below it
 * @param {{ method?: string, headers?: Record<string, string>, body?: string, signal?: AbortSignal }} [request]
 */
export async function fetchThroughFrame(base, url, { method = "GET", headers = {}, body, signal } = {}) {
  signal?.throwIfAborted();
  const { port, leave: left } = await handOver(base, { url: String(url), method, headers, body }, signal);
  return new Promise((resolve, reject) => {
    let parts = null; // the controller of the body, once the head of the response is there
    const over = () => {
      port.onmessage = null;
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
    const cancel = () => {
      port.postMessage("abort");
      over();
    };
    signal?.addEventListener("abort", leave);
    if (signal?.aborted) return leave();
    port.onmessage = ({ data }) => {
      if (data.status !== undefined) {
        const stream = new ReadableStream({ start: (controller) => (parts = controller), cancel });
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

/** Returns whether a server answers at an endpoint, even if the page may not read the response; null if unknown. Rejects when the signal is aborted. */
export async function isAnyoneThere(base, { signal }) {
  signal.throwIfAborted();
  const { port, leave: left } = await handOver(base, { probe: base }, signal);
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
    if (signal.aborted) return leave();
    port.onmessage = ({ data }) => {
      over();
      resolve(data.there ?? null);
    };
  });
}

const mayHaveBody = (status) => ![204, 205, 304].includes(status);

/**
 * Sends a request to an endpoint's frame. Returns the port for the response, and a function to call when it is no longer needed. If the signal is
 * aborted before the frame is open, it rejects at once and sends nothing.
 */
async function handOver(base, request, signal) {
  for (const [address, { opened, busy }] of frames) {
    if (address === base || busy > 0) continue;
    frames.delete(address); // the endpoint was changed since
    opened.then((frame) => frame.remove(), () => {});
  }
  if (!frames.has(base)) {
    const made = { opened: open(base), busy: 0 };
    frames.set(base, made);
    made.opened.catch(() => frames.get(base) === made && frames.delete(base)); // the next request tries again
  }
  const entry = frames.get(base);
  entry.busy += 1;
  let isLeft = false;
  const leave = () => {
    if (!isLeft) entry.busy -= 1;
    isLeft = true;
  };
  try {
    const frame = await orAborted(entry.opened, signal);
    const { port1: port, port2: theirs } = new MessageChannel();
    frame.contentWindow.postMessage(request, location.origin, [theirs]);
    return { port, leave };
  } catch (error) {
    leave();
    throw error;
  }
}

/** Resolves like `work`, or rejects as soon as the signal is aborted. */
function orAborted(work, signal) {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal?.addEventListener("abort", stop, { once: true });
    work.then((value) => (signal?.aborted ? stop() : resolve(value)), reject).finally(() => signal?.removeEventListener("abort", stop));
  });
}

function open(base) {
  const made = document.createElement("iframe");
  const address = new URL("../llm-frame.html", import.meta.url);
  address.hash = encodeURIComponent(base);
  Object.assign(made, { src: address.href, hidden: true, title: t("Connection to the language model") });
  const opened = new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      removeEventListener("message", heard);
      made.remove();
      reject(new Error(t("The page's own llm-frame.html did not load. Reload the page.")));
    }, TIME_TO_OPEN);
    function heard({ source, data }) {
      if (source !== made.contentWindow || data !== "open") return;
      removeEventListener("message", heard);
      clearTimeout(late);
      resolve(made);
    }
    addEventListener("message", heard);
  });
  document.body.append(made);
  return opened;
}
