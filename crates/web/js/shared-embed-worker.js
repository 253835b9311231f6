// A shared worker that runs one sentence encoder for all tabs of an origin: each loads the model if no other has, and calls it over a port
// of its own.

import { connect } from "./channel.js";
import { encoderHandlers } from "./encoder.js";
import { ended, toPlain, VademecumError } from "./error.js";
import { mapped } from "./traps.js";

/** Milliseconds for which a model that no tab uses is kept, for a page that is loaded again. */
const KEPT = 10_000;

/** The ports of the tabs that use the model. */
const ports = new Set();
/** @type {ReturnType<typeof setTimeout> | undefined} */
let ending;
/** @type {{ build?: string, about: Promise<any> } | null} */
let loading = null; // the current loading, or its outcome

const own = encoderHandlers();
const handlers = mapped(
  {
    ...own,
    /** Loads the model once, by a build of the kernel: tabs that begin at the same time get the same outcome. */
    load(given) {
      const build = given.build?.name;
      if (loading && (loading.build === build || build === undefined)) return loading.about;
      const begun = { build, about: own.load(given) };
      loading = begun;
      begun.about.catch(() => loading === begun && (loading = null));
      return begun.about;
    },
    /** Returns what `load` did for another tab, once it has; null if there is no model. */
    loaded: async () => loading?.about.catch(() => null) ?? null,
  },
  (handler) => async (...given) => {
    try {
      return await handler(...given);
    } catch (thrown) {
      if (thrown instanceof WebAssembly.RuntimeError) fail(thrown.message);
      throw thrown;
    }
  },
);

/** Ends this worker, whose module is in an undefined state after a trap: browsers report that to no tab, so that this does. */
function fail(why) {
  const error = new VademecumError(`The shared embedder worker failed: ${ended(String(why))}.`, { code: "worker_failed", retryable: true });
  for (const port of ports) port.postMessage({ kind: "failed", error: toPlain(error) });
  self.close();
}

/** A lock that this worker has while it lives, by which tabs learn of its end. */
const alive = `vademecum embedder ${crypto.randomUUID()}`;
const isHeld = new Promise((resolve) => {
  void navigator.locks.request(alive, () => {
    resolve(undefined);
    return new Promise(() => {});
  });
});

function leave(port) {
  if (!ports.delete(port) || ports.size > 0) return;
  ending = setTimeout(() => self.close(), KEPT);
}

self.addEventListener("connect", async (/** @type {any} */ { ports: [port] }) => {
  clearTimeout(ending);
  ports.add(port);
  connect(port, handlers);
  port.addEventListener("message", ({ data }) => data?.kind === "leave" && leave(port));
  port.addEventListener("close", () => leave(port)); // of a tab that is gone, where the browser tells
  port.addEventListener("messageerror", () => fail("a message to it could not be read; memory may be full"));
  port.start();
  await isHeld;
  port.postMessage({ kind: "here", alive });
});
self.addEventListener("error", ({ message }) => fail(message));
self.addEventListener("unhandledrejection", ({ reason }) => reason instanceof WebAssembly.RuntimeError && fail(reason.message));
