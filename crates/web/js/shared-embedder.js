// An encoder that tabs share, as the engine calls it.

import { connect } from "./channel.js";
import { closed, fromPlain, VademecumError } from "./error.js";

/** Milliseconds of a call after which it is checked whether the worker is still there. */
const PATIENCE = 1_000;

/**
 * Returns an encoder of a name, with the interface of a worker and `loaded()`: what its model is if another tab has loaded it, else null.
 * @param {any} page calls functions of the page, which starts the worker
 * @param {string} name
 * @param {() => any} dedicated starts a worker of this tab alone, for where there are no shared ones
 */
export function sharedEmbedder(page, name, dedicated) {
  const started = page.call("sharedEmbedder", { name }).then((found) => (found ? overPort(found) : dedicated()));
  started.catch(() => {}); // calls report it
  return {
    call: async (...call) => (await started).call(...call),
    loaded: async () => (await started).loaded?.() ?? null,
    isShared: async () => Boolean((await started).loaded),
    terminate: (why) => void started.then((worker) => worker.terminate(why), () => {}),
  };
}

function overPort({ port, alive }) {
  const channel = connect(port, {});
  const lock = `vademecum tab ${crypto.randomUUID()}`;
  let leave = (_) => {};
  // The worker waits for this lock, which becomes free with a crash as well.
  void navigator.locks.request(lock, () => {
    port.postMessage({ kind: "tab", lock });
    return new Promise((resolve) => (leave = resolve));
  });
  const fail = (error) => {
    leave(undefined);
    port.close();
    channel.close(error);
  };
  port.addEventListener("message", ({ data }) => data?.kind === "failed" && fail(fromPlain(data.error)));
  port.addEventListener("messageerror", () => fail(failed("a message from it could not be read; memory may be full")));
  port.start();
  /** Nothing reports the crash of a shared worker: the lock that it had becomes free. */
  async function call(method, params, how) {
    const answered = new AbortController();
    const watch = () => navigator.locks.request(alive, { signal: answered.signal }, () => fail(failed("it crashed"))).catch(() => {});
    const timer = setTimeout(watch, PATIENCE);
    try {
      return await channel.call(method, params, how);
    } finally {
      clearTimeout(timer);
      answered.abort();
    }
  }
  return {
    call,
    loaded: () => call("loaded", {}),
    /** Ends the calls of this tab with `why`: the worker ends when the last tab has left it. */
    terminate: (why = closed()) => fail(why),
  };
}

const failed = (why) => new VademecumError(`The shared embedder worker failed: ${why}.`, { code: "worker_failed", retryable: true });
