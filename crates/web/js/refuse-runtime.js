// Where the ONNX runtime cannot run a model, or cannot be loaded.

import { ended, fromPlain, invalid, toPlain, unsupported } from "./error.js";

/**
 * Throws where a back end that is named cannot run a model of these options.
 * @param {string} where the function that has them @param {{ backend?: string, weights?: string }} options
 */
export function checkBackend(where, { backend, weights }) {
  if (backend !== "onnxruntime") return;
  if (weights !== undefined) throw invalid(`${where}.weights`, 'absent with the back end "onnxruntime", since the kernel alone rounds weights', JSON.stringify(weights));
  refuseRuntime();
}

/** Throws where the runtime cannot be imported. */
export function refuseRuntime(why = "") {
  if (!("ServiceWorkerGlobalScope" in globalThis)) return;
  throw unsupported(
    `${why}The ONNX runtime does not run in a service worker, which may import no modules at run time. Choose a model that the kernel ` +
      "runs, embed in a page or another worker, by `Embedder.custom`, or search by words.",
  );
}

/** Errors of a part that could not be fetched. */
const UNAVAILABLE = ["model_unavailable", "module_unavailable"];

/** Adds to the error of a runtime that is not there the `reason` why the kernel does not run the model, if there is one. */
export function explained(thrown, reason) {
  if (reason === undefined || !UNAVAILABLE.includes(thrown?.code)) return thrown;
  return fromPlain({ ...toPlain(thrown), message: `${ended(thrown.message)}. ${needed(reason)}` });
}

/** Returns the sentence that says why the runtime is needed. */
export const needed = (reason) => `It is needed, because ${ended(reason)}.`;
