// A worker as a channel. One that cannot start ends its calls with an error that says so.

import { connect } from "./channel.js";
import { closed, unsupported, VademecumError } from "./error.js";

export function attach(start, what, handlers) {
  const failed = (reason) => new VademecumError(`The ${what} worker failed: ${reason}.`, { code: "worker_failed" });
  let worker;
  try {
    worker = start();
  } catch (thrown) {
    if (typeof Worker === "undefined") {
      throw unsupported("There are no workers here, as in Node. Import from `vademecum/direct`, or `vademecum/lite/direct`: there the engine runs in place.");
    }
    throw failed(thrown.message);
  }
  const channel = connect(worker, handlers);
  worker.addEventListener("error", (event) => {
    event.preventDefault?.();
    worker.terminate(); // with whatever it had started itself
    channel.close(failed(event.message || "its script could not be loaded"));
  });
  /** Calls under way end with `why`: closed by whoever used it, unless something else was the matter. */
  const terminate = (why = closed()) => {
    worker.terminate();
    channel.close(why);
  };
  return { ...channel, terminate };
}
