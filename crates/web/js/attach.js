// Wraps a worker in a channel. If it cannot start, or crashes, its calls end with an error that gives the reason.

import { connect } from "./channel.js";
import { closed, ended, invalid, unsupported, VademecumError } from "./error.js";
import { hasWorkers } from "./has-workers.js";
import { started } from "./started.js";

const HELP = " See `docs/static-sites.md` in the package's folder, and the option `workers`.";

let policy; // undefined until the first worker, null if there is none
const trusted = new Set();

/** Returns an address for `new Worker(…)` on pages that require Trusted Types: the policy accepts only the addresses registered here. */
function trust(address) {
  if (policy === undefined) {
    const createScriptURL = (url) => {
      if (trusted.has(url)) return url;
      throw new TypeError(`${url} is not the address of a worker of vademecum's`);
    };
    try {
      policy = globalThis.trustedTypes?.createPolicy("vademecum", { createScriptURL }) ?? null;
    } catch {
      policy = null; // the page does not allow its name, or the name is taken
    }
  }
  trusted.add(address);
  return policy?.createScriptURL(address) ?? address;
}

/** Returns an address for a worker of the package's own: trusted if it is of the page's origin. */
export const trustedIfOwn = (address, url = address) => {
  try {
    return new URL(address, location.href).origin === location.origin ? trust(address) : url;
  } catch {
    return url; // not an address, or not on a page: `Worker` reports the error
  }
};

/** Starts a worker from the option `workers.…`: an address, trusted because the option contains it, or a function. */
function startedAs(own) {
  if (typeof own === "function") return { worker: own() };
  // Written so that no bundler recognises it: the address is known only at run time.
  return { worker: Reflect.construct(Worker, [trust(own), { type: "module" }]), address: own };
}

/** Finds the reason why the script at an address could not be loaded, which browsers do not report. */
async function unloadable(address, forbidden) {
  if (!address) return "its script could not be loaded";
  const at = `its script could not be loaded from ${address}: `;
  if (forbidden) return `${at}the content security policy forbids it by \`${forbidden}\``;
  try {
    const { ok, status, headers } = await fetch(address);
    const type = headers.get("content-type") ?? "nothing about its type";
    if (!ok) return `${at}HTTP ${status}`;
    if (!/(java|ecma)script/.test(type)) return `${at}the host sent \`${type}\` and no script, as hosts do for files that are not there`;
    return `${at}it is there, so look whether the files that it imports are, and whether a content security policy forbids it`;
  } catch (thrown) {
    return `${at}${ended(thrown.message)}`;
  }
}

/** Milliseconds to wait until a worker is ready, including all that its script imports. */
const START = 60_000;

/** @type {(address: string) => { worker: Worker, hasStarted: boolean } | undefined} */
const noWorker = () => undefined;

/**
 * @param start creates the package's own worker
 * @param own the option `workers.…`: an address or a function that creates the worker instead
 * @param {(error: Error, how?: { isFinal: boolean }) => void} onCrash called with the error of a worker that crashed
 * @param preloaded returns a worker that the page has started already
 */
export function attach(start, what, handlers, own, onCrash = () => {}, preloaded = noWorker) {
  const failed = (reason, help = "", retryable = false) => new VademecumError(`The ${what} worker failed: ${ended(reason)}.${help}`, { code: "worker_failed", retryable });
  let worker;
  let address;
  let forbidden;
  const note = ({ blockedURI, effectiveDirective }) => blockedURI === address && (forbidden = effectiveDirective);
  const quiet = () => globalThis.removeEventListener?.("securitypolicyviolation", note);
  globalThis.addEventListener?.("securitypolicyviolation", note);
  let runs = false;
  const preloadedOr = (address, url) => {
    const found = preloaded(address);
    runs = found?.hasStarted === true;
    return found?.worker ?? trustedIfOwn(address, url);
  };
  try {
    ({ worker, address } = own ? startedAs(own) : started(start, preloadedOr));
  } catch (thrown) {
    quiet();
    if (!hasWorkers) {
      throw unsupported("There are no workers here, as in Node, and in shared and service workers. Import from `vademecum/direct`, or `vademecum/lite/direct`: there the engine runs in place.");
    }
    throw failed(thrown.message, HELP);
  }
  if (typeof worker?.postMessage !== "function") {
    quiet();
    throw invalid("workers", "addresses of workers, or functions that return one each", typeof worker);
  }
  const channel = connect(worker, handlers);
  // Nothing reports that a script, or one that it imports, is still loading, except the worker's first message.
  const late = runs ? undefined : setTimeout(() => end(failed(`nothing came from ${address ?? "it"} in ${START / 1000} seconds`, HELP, true)), START);
  late?.unref?.();
  const end = (error) => {
    clearTimeout(late);
    quiet();
    worker.terminate(); // also ends the workers that it started
    channel.close(error);
    onCrash(error);
  };
  worker.addEventListener("message", () => {
    runs = true;
    clearTimeout(late);
    quiet();
  }, { once: true });
  worker.addEventListener("error", async (event) => {
    event.preventDefault?.();
    worker.terminate();
    let error = failed(event.message || "it crashed", "", true);
    if (!runs) error = failed(event.message ? `${ended(event.message)} (${address})` : await unloadable(address, forbidden), HELP);
    end(error);
  });
  // Without memory for its contents, a message arrives without them: whom it answers is unknown.
  worker.addEventListener("messageerror", () => end(failed("a message from it could not be read; memory may be full", "", true)));
  /** Ends pending calls with `why`: by default that it was closed. */
  const terminate = (why = closed()) => {
    clearTimeout(late);
    quiet();
    worker.terminate();
    channel.close(why);
  };
  return { ...channel, terminate };
}
