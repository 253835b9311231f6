// Traps of the package's modules where they run in place. A trap in a job of a module's own, behind an `await`, is thrown to nobody: the
// promise of the call would stay pending. Browsers and Node report it as uncaught, and that is listened to.

import { ended, VademecumError } from "./error.js";

/** The addresses of the modules that an engine uses here. */
export const modules = new Set();

const engines = new Set(); // each by what is to be called
let broken = null; // what a trap leaves of a module answers nothing right any more

/** Calls `onTrap(error)` after a trap, until the function that this returns is called. Throws after one. */
export function watchTraps(onTrap) {
  if (broken) throw broken;
  if (engines.size === 0) listen("add");
  engines.add(onTrap);
  return () => {
    if (engines.delete(onTrap) && engines.size === 0) listen("remove");
  };
}

/** A handler whose trap is told to all engines here. */
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
  // Node: this listener hears of it, and changes nothing of what Node does with it.
  globalThis.process?.[how === "add" ? "on" : "off"]?.("uncaughtExceptionMonitor", uncaught);
}

/** Whether it is a trap of these modules. Not every browser names the module in the stack; a trap of an unknown one is taken for ours. */
function isOurs(thrown) {
  if (!(thrown instanceof WebAssembly.RuntimeError)) return false;
  const named = [...String(thrown.stack).matchAll(/([a-z-]+:\/\/[^\s()@]+):wasm-function\[/g)].map(([, address]) => address);
  const known = named.filter((address) => !address.startsWith("wasm:"));
  return known.length === 0 || known.some((address) => modules.has(address));
}
