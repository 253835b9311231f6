// Where the ONNX runtime cannot be loaded.

import { unsupported } from "./error.js";

/** Throws where the runtime cannot be imported. */
export function refuseRuntime(why = "") {
  if (!("ServiceWorkerGlobalScope" in globalThis)) return;
  throw unsupported(
    `${why}The ONNX runtime does not run in a service worker, which may import no modules at run time. Choose a model that the kernel ` +
      "runs, embed in a page or another worker, by `Embedder.custom`, or search by words.",
  );
}
