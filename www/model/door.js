// `fetch` for the language model alone: by way of the frame door.html, because this page may not reach another origin.

const TIME_TO_OPEN = 10_000;
let frame = null;

/** As `fetch`, for text bodies. Rejects where the endpoint cannot be reached, with what the browser says of it. */
export async function fetchThroughDoor(url, { method = "GET", headers = {}, body, signal } = {}) {
  signal?.throwIfAborted();
  const door = await (frame ??= open());
  const { port1: port, port2: theirs } = new MessageChannel();
  door.contentWindow.postMessage({ url: String(url), method, headers, body }, location.origin, [theirs]);
  return new Promise((resolve, reject) => {
    let parts = null; // the body's controller, once the head of the answer is there
    const stop = (error) => {
      port.close();
      signal?.removeEventListener("abort", leave);
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
        port.close();
        signal?.removeEventListener("abort", leave);
        parts.close();
      }
    };
  });
}

/** Whether anything answers at an address, be it an answer that this page may not see. Rejects with the signal. */
export async function isAnyoneThere(url, { signal }) {
  signal.throwIfAborted();
  const door = await (frame ??= open());
  const { port1: port, port2: theirs } = new MessageChannel();
  door.contentWindow.postMessage({ knock: url }, location.origin, [theirs]);
  return new Promise((resolve, reject) => {
    const leave = () => {
      port.postMessage("abort");
      port.close();
      reject(signal.reason);
    };
    signal.addEventListener("abort", leave, { once: true });
    port.onmessage = ({ data }) => {
      port.close();
      signal.removeEventListener("abort", leave);
      resolve(data.there === true);
    };
  });
}

const mayHaveBody = (status) => ![204, 205, 304].includes(status);

function open() {
  const made = document.createElement("iframe");
  Object.assign(made, { src: new URL("../door.html", import.meta.url).href, hidden: true, title: "The way to the language model" });
  const opened = new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      frame = null;
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
