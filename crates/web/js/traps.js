// Detects traps of the package's modules on the calling thread. A trap in a module's own job, after an `await`, is thrown to no caller: the
// promise of the call would stay pending. Browsers and Node report it as an uncaught error, which this listens to.

import { ended, VademecumError } from "./error.js";

/** The addresses of the modules that engines use here. */
export const modules = new Set();

const engines = new Set(); // callbacks of the engines
let broken = null; // the first trap; a module's state is undefined after one
let encoders = null; // the same of the encoders' modules

/** Calls `onTrap(error)` after a trap; returns a function that removes the listener. Throws if a trap has happened. */
export function watchTraps(onTrap) {
  if (broken) throw broken;
  if (engines.size === 0) listen("add");
  engines.add(onTrap);
  return () => {
    if (engines.delete(onTrap) && engines.size === 0) listen("remove");
  };
}

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

/** Wraps a handler of an encoder on the calling thread: after a trap, all later calls fail with its error. */
export const breaking = (handler) => async (...given) => {
  if (encoders) throw encoders;
  try {
    return await handler(...given);
  } catch (thrown) {
    if (!(thrown instanceof WebAssembly.RuntimeError)) throw thrown;
    encoders = new VademecumError(
      `The encoder failed: ${ended(thrown.message)}. Memory may be full. It runs in place here, and its module cannot be used again: start the ` +
        "worker or process anew, or use a smaller model.",
      { code: "worker_failed", cause: thrown },
    );
    throw encoders;
  }
};

/** Wraps a handler so that its trap is reported to all engines here. */
export const telling = (handler) => async (...given) => {
  try {
    return await handler(...given);
  } catch (thrown) {
    if (thrown instanceof WebAssembly.RuntimeError) throw trapped(thrown);
    throw thrown;
  }
};

function trapped(thrown) {
  broken = new VademecumError(
    `The engine failed: ${ended(thrown.message)}. It runs in place here, and its module cannot be used again: reload the page, or start the ` +
      "worker or process anew. What was saved is kept. An engine in a worker, as `vademecum` starts it, is started again by itself.",
    { code: "worker_failed", cause: thrown },
  );
  for (const onTrap of [...engines]) onTrap(broken);
  return broken;
}

const uncaught = (thrown) => void (isOurs(thrown) && trapped(thrown));
const onError = ({ error }) => uncaught(error);
const onRejection = ({ reason }) => uncaught(reason);

function listen(how) {
  globalThis[`${how}EventListener`]?.("error", onError);
  globalThis[`${how}EventListener`]?.("unhandledrejection", onRejection);
  // In Node, this only observes the error, and does not change how Node handles it.
  globalThis.process?.[how === "add" ? "on" : "off"]?.("uncaughtExceptionMonitor", uncaught);
}

/** Whether an error is a trap of these modules. Not every browser names the module in the stack; a trap of an unknown one is treated as ours. */
function isOurs(thrown) {
  if (!(thrown instanceof WebAssembly.RuntimeError)) return false;
  const named = [...String(thrown.stack).matchAll(/([a-z-]+:\/\/[^\s()@]+):wasm-function\[/g)].map(([, address]) => address);
  const known = named.filter((address) => !address.startsWith("wasm:"));
  return known.length === 0 || known.some((address) => modules.has(address));
}
