// A shared worker that runs one sentence encoder for all tabs of an origin: each loads the model if no other has, and calls it over a port
// of its own.

import { connect } from "./channel.js";
import { encoderHandlers } from "./encoder.js";
import { closed, ended, toPlain, VademecumError } from "./error.js";
import { sharedEncoder } from "./shared-encoder.js";
import { mapped } from "./traps.js";

/** Milliseconds for which a model that no tab uses is kept, for a library that is closed and opened again while its page stays. */
const KEPT = 10_000;
/** Milliseconds in which a tab has to name its lock. */
const START = 60_000;

/** The channels of the tabs that use the model, by port. */
const tabs = new Map();
/** @type {ReturnType<typeof setTimeout> | undefined} */
let ending;

/** Ends this worker, whose module is in an undefined state after a trap: browsers report that to no tab, so that this does. */
function fail(why) {
  const error = new VademecumError(`The shared embedder worker failed: ${ended(String(why))}.`, { code: "worker_failed", retryable: true });
  for (const port of tabs.keys()) port.postMessage({ kind: "failed", error: toPlain(error) });
  self.close();
}

const handlers = mapped(sharedEncoder(encoderHandlers(), ({ message }) => fail(message)), (handler) => async (...given) => {
  try {
    return await handler(...given);
  } catch (thrown) {
    if (thrown instanceof WebAssembly.RuntimeError) fail(thrown.message);
    throw thrown;
  }
});

/** A lock that this worker has while it lives, by which tabs learn of its end. */
const alive = `vademecum embedder ${crypto.randomUUID()}`;
const isHeld = new Promise((resolve) => {
  void navigator.locks.request(alive, () => {
    resolve(undefined);
    return new Promise(() => {});
  });
});

/** Aborts the calls of a tab that is gone. */
function leave(port) {
  const channel = tabs.get(port);
  if (!tabs.delete(port)) return;
  channel.close(closed());
  port.close();
  if (tabs.size === 0) ending = setTimeout(() => self.close(), KEPT);
}

self.addEventListener("connect", async (/** @type {any} */ { ports: [port] }) => {
  clearTimeout(ending);
  tabs.set(port, connect(port, handlers));
  const late = setTimeout(leave, START, port);
  port.addEventListener("message", ({ data }) => {
    if (data?.kind !== "tab") return;
    clearTimeout(late);
    // No event reports the end of a tab, or of its engine, in every browser.
    void navigator.locks.request(data.lock, () => leave(port));
  });
  port.addEventListener("messageerror", () => fail("a message to it could not be read; memory may be full"));
  port.start();
  await isHeld;
  port.postMessage({ kind: "here", alive });
});
self.addEventListener("error", ({ message }) => fail(message));
self.addEventListener("unhandledrejection", ({ reason }) => reason instanceof WebAssembly.RuntimeError && fail(reason.message));
