// Detects traps of the package's modules on the calling thread. A trap in a module's own job, after an `await`, is thrown to no caller: the
// promise of the call would stay pending. Browsers and Node report it as an uncaught error, which this listens to.

import { ended, VademecumError } from "./error.js";

/** Modules that share a fate: after a trap in one of them here, all that use them end with its error, since their state is undefined. */
class Modules {
  /** Their addresses. */
  addresses = new Set();
  #users = new Set(); // callbacks
  /** @type {VademecumError | null} */
  #broken = null; // of the first trap
  #explain;

  /** @param {(why: string) => string} explain returns the message of a trap's error */
  constructor(explain) {
    this.#explain = explain;
  }

  /** Calls `onTrap(error)` after a trap; returns a function that removes the listener. Throws if a trap has happened. */
  watch(onTrap) {
    if (this.#broken) throw this.#broken;
    if (this.#users.size === 0) this.#listen("add");
    this.#users.add(onTrap);
    return () => {
      if (this.#users.delete(onTrap) && this.#users.size === 0) this.#listen("remove");
    };
  }

  /** Tells all users of a trap; returns the error. */
  trapped(thrown) {
    this.#broken = new VademecumError(this.#explain(ended(thrown.message)), { code: "worker_failed", cause: thrown });
    for (const onTrap of [...this.#users]) onTrap(this.#broken);
    return this.#broken;
  }

  #uncaught = (thrown) => void (this.#isOurs(thrown) && this.trapped(thrown));
  #onError = ({ error }) => this.#uncaught(error);
  #onRejection = ({ reason }) => this.#uncaught(reason);

  #listen(how) {
    globalThis[`${how}EventListener`]?.("error", this.#onError);
    globalThis[`${how}EventListener`]?.("unhandledrejection", this.#onRejection);
    // In Node, this only observes the error, and does not change how Node handles it.
    globalThis.process?.[how === "add" ? "on" : "off"]?.("uncaughtExceptionMonitor", this.#uncaught);
  }

  /** Whether an error is a trap of these modules. Not every browser names the module in the stack; a trap of an unknown one is treated as ours. */
  #isOurs(thrown) {
    if (!(thrown instanceof WebAssembly.RuntimeError)) return false;
    const named = [...String(thrown.stack).matchAll(/([a-z-]+:\/\/[^\s()@]+):wasm-function\[/g)].map(([, address]) => address);
    const known = named.filter((address) => !address.startsWith("wasm:"));
    return known.length === 0 || known.some((address) => this.addresses.has(address));
  }
}

export const engines = new Modules(
  (why) =>
    `The engine failed: ${why}. It runs in place here, and its module cannot be used again: reload the page, or start the ` +
    "worker or process anew. What was saved is kept. An engine in a worker, as `vademecum` starts it, is started again by itself.",
);

export const encoders = new Modules(
  (why) =>
    `The encoder failed: ${why}. Memory may be full. It runs in place here, and its module cannot be used again: start the ` +
    "worker or process anew, or use a smaller model.",
);

/** Returns handlers, each wrapped by a function. */
export const mapped = (handlers, wrap) => Object.fromEntries(Object.entries(handlers).map(([name, handler]) => [name, wrap(handler)]));

/** Wraps a handler so that a trap ends this worker, because the module's state is undefined after a trap. The page starts another worker. */
export const ending = (handler) => async (...given) => {
  try {
    return await handler(...given);
  } catch (thrown) {
    if (!(thrown instanceof WebAssembly.RuntimeError)) throw thrown;
    setTimeout(() => {
      throw thrown;
    });
    return new Promise(() => {});
  }
};

/** Ends this worker when a message to it cannot be read, as without memory for its contents: the caller would wait for ever. */
export const failOnUnread = () =>
  self.addEventListener("messageerror", () => {
    throw new Error("a message to it could not be read; memory may be full");
  });

/** Wraps a handler of an encoder on the calling thread: after a trap, this call and all later ones fail with its error. */
export const breaking = (handler) => async (...given) => {
  let fail = (_) => {};
  const trapped = new Promise((_, reject) => (fail = reject));
  const end = encoders.watch(fail);
  try {
    return await Promise.race([handler(...given), trapped]);
  } catch (thrown) {
    throw thrown instanceof WebAssembly.RuntimeError ? encoders.trapped(thrown) : thrown;
  } finally {
    end();
  }
};

/** Wraps a handler so that its trap is reported to all engines here. */
export const telling = (handler) => async (...given) => {
  try {
    return await handler(...given);
  } catch (thrown) {
    throw thrown instanceof WebAssembly.RuntimeError ? engines.trapped(thrown) : thrown;
  }
};
