// Calls across a message port, the same on both sides: each side has handlers, and each may call the other's.
//
// A handler is `async (params, { signal, emit }) => value`. Emitted events reach the caller's `onEvent` before the
// result. Aborting the caller's signal aborts the handler's; the call still ends with the handler's outcome. A signal
// that is already aborted prevents the call, unless `evenAborted` is set: then the handler starts with an aborted signal.

import { aborted, ended, fromPlain, invalid, toPlain, VademecumError } from "./error.js";
import { plain } from "./plain.js";

/** A handler's result of which some objects, such as ports, are moved to the caller instead of copied. */
export class Transferred {
  /** @param {any} value @param {Transferable[]} objects */
  constructor(value, objects) {
    this.value = value;
    this.objects = objects;
  }
}

/** @param port anything with `postMessage` and `addEventListener("message")`: a Worker, a MessagePort, `self` */
export function connect(port, handlers) {
  const calls = new Map(); // own calls, waiting for the other side
  const running = new Map(); // calls of the other side that run here
  let lastId = 0;
  let closedBy = null;

  const receivers = {
    call: ({ id, method, params, isAborted }) => {
      const abort = new AbortController();
      if (isAborted) abort.abort();
      running.set(id, abort);
      const emit = (value) => port.postMessage({ kind: "event", id, value });
      Promise.resolve()
        .then(() => handlers[method](params, { signal: abort.signal, emit }))
        .then((result) => {
          const { value, objects } = result instanceof Transferred ? result : new Transferred(result, []);
          port.postMessage({ kind: "result", id, value }, objects);
        })
        // also for a result that cannot be cloned: otherwise the caller would wait forever
        .catch((thrown) => port.postMessage({ kind: "error", id, error: toPlain(thrown) }))
        .finally(() => running.delete(id));
    },
    abort: ({ id }) => running.get(id)?.abort(),
    event: ({ id, value }) => calls.get(id)?.onEvent?.(value),
    result: ({ id, value }) => settle(id, (call) => call.resolve(value)),
    error: ({ id, error }) => settle(id, (call) => call.reject(fromPlain(error))),
  };

  function settle(id, how) {
    const call = calls.get(id);
    if (!call) return;
    calls.delete(id);
    call.signal?.removeEventListener("abort", call.onAbort);
    how(call);
  }

  port.addEventListener("message", ({ data }) => receivers[data?.kind]?.(data));

  return {
    /** @param {string} method @param {any} params @param {{ signal?: AbortSignal, onEvent?: (event: any) => void, evenAborted?: boolean, transfer?: Transferable[] }} [options] */
    call(method, params, { signal, onEvent, evenAborted = false, transfer = [] } = {}) {
      const wrong = wrongSignal(signal);
      if (wrong) return Promise.reject(wrong);
      if (signal?.aborted && !evenAborted) return Promise.reject(aborted());
      if (closedBy) return Promise.reject(closedBy);
      return new Promise((resolve, reject) => {
        const id = ++lastId;
        const onAbort = () => port.postMessage({ kind: "abort", id });
        calls.set(id, { resolve, reject, onEvent, signal, onAbort });
        signal?.addEventListener("abort", onAbort);
        const post = (params) => port.postMessage({ kind: "call", id, method, params, isAborted: signal?.aborted === true }, transfer);
        try {
          try {
            post(params);
          } catch {
            // A reactive proxy cannot be cloned, but a plain copy can.
            post(Object.fromEntries(Object.entries(params).map(([name, value]) => [name, plain(name, value)])));
          }
        } catch (thrown) {
          settle(id, (call) => call.reject(unsent(thrown)));
        }
      });
    },
    /** Ends all pending and later calls with `error`, and aborts the calls of the other side. */
    close(error) {
      closedBy = error;
      for (const abort of running.values()) abort.abort();
      for (const id of [...calls.keys()]) settle(id, (call) => call.reject(error));
    },
  };
}

/** Returns the error of a message that could not be copied: there is a value that cannot be, or no memory for it. */
function unsent(thrown) {
  if (thrown.name === "VademecumError") return thrown;
  const isFull = thrown instanceof RangeError || /memory/i.test(thrown.message);
  const message = isFull ? `A message to a worker did not fit into memory: ${ended(thrown.message)}. Close other tabs, or pass less at once.` : String(thrown.message);
  return new VademecumError(message, { code: isFull ? "worker_failed" : "invalid_argument", retryable: isFull, cause: thrown });
}

const wrongSignal = (signal) =>
  signal === undefined || typeof signal?.addEventListener === "function" ? null : invalid("signal", "an AbortSignal", typeof signal);

/** The same interface without a port: calls the handlers directly. */
export function local(handlers) {
  const never = new AbortController().signal;
  let closedBy = null;
  let close;
  const closing = new Promise((_, reject) => (close = reject));
  closing.catch(() => {});
  return {
    async call(method, params, { signal = never, onEvent = () => {}, evenAborted = false } = {}) {
      const wrong = wrongSignal(signal);
      if (wrong) throw wrong;
      if (signal.aborted && !evenAborted) throw aborted();
      if (closedBy) throw closedBy;
      try {
        const value = await Promise.race([handlers[method](params, { signal, emit: onEvent }), closing]);
        return value instanceof Transferred ? value.value : value;
      } catch (thrown) {
        throw fromPlain(toPlain(thrown));
      }
    },
    close(error) {
      closedBy = error;
      close(error);
    },
  };
}
