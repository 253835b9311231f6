// Starts the package's workers. A worker that cannot start ends its calls with an error that says so.

import { connect } from "./channel.js";
import { closed, VademecumError } from "./error.js";

export function attach(start, what, handlers) {
  const failed = (reason) => new VademecumError(`The ${what} worker failed: ${reason}.`, { code: "worker_failed" });
  let worker;
  try {
    worker = start();
  } catch (thrown) {
    throw failed(thrown.message);
  }
  const channel = connect(worker, handlers);
  worker.addEventListener("error", (event) => {
    event.preventDefault?.();
    worker.terminate(); // with whatever it had started itself
    channel.close(failed(event.message || "its script could not be loaded"));
  });
  const terminate = () => {
    worker.terminate();
    channel.close(closed());
  };
  return { ...channel, terminate };
}

/** A builder of HNSW graphs in a worker of its own; none where there are no workers. */
export const spawnGraphBuilder = () =>
  typeof Worker === "undefined"
    ? null
    : attach(() => new Worker(new URL("./graph-worker.js", import.meta.url), { type: "module" }), "graph", {});

/** One encoder in a worker of its own. */
export const spawnEmbedder = () =>
  attach(() => new Worker(new URL("./embed-worker.js", import.meta.url), { type: "module" }), "embedding", {});
