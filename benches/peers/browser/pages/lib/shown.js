// The end of a page's way: its first hit stands where a reader sees it.

export const QUESTION = "update a value in a hash map";

/** Shows a hit; `shown` holds the milliseconds since the page was asked for, once a frame with the hit was drawn. */
export function show(text) {
  const item = document.createElement("li");
  item.textContent = text;
  document.getElementById("hits").append(item);
  requestAnimationFrame(() => {
    const drawn = new MessageChannel();
    drawn.port1.onmessage = () => (globalThis.shown = { ms: performance.now(), text });
    drawn.port2.postMessage(null);
  });
}

export const fetched = async (address) => (await fetch(address)).json();
