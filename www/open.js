// Opens the stored library. It is loaded before the other scripts of the page, so that the library is being opened while the browser reads those.

import { Embedder, KnowledgeBase } from "./vademecum/index.js";
import { showProgress } from "./status.js";

export const LIBRARY = "demo";
const MODELS = "models/all-minilm-l6-v2";

const embedder = Embedder.onnx({
  model: `${MODELS}/model.onnx`,
  tokenizer: `${MODELS}/tokenizer.json`,
  runtime: "vademecum/ort/", // which workers that are started from blobs could not find
  pooling: "mean", // as in the model's configuration, which saves a request
  shared: Boolean(navigator.serviceWorker?.controller), // the service worker gives shared workers the page's policy: see policy.js
});
// A later version of this page may have another model, for which all vectors are computed again.
const options = { embedder, onProgress: showProgress, reembed: true, maxMemory: memoryOfDevice() };

const opening = KnowledgeBase.open(LIBRARY, options);
opening.catch(() => {}); // reported by those who wait for it

/** Returns a quarter of the device's memory in bytes, 2 GB at most: a module cannot have more than 4. Browsers that do not say how much there is get 1 GB. */
function memoryOfDevice() {
  const { deviceMemory = 4 } = /** @type {{ deviceMemory?: number }} */ (navigator);
  return Math.min(deviceMemory, 8) * 2 ** 28;
}

/** Returns the stored library, once it is open. Rejects if it is damaged, or if this browser stores nothing for this page. */
export const opened = () => opening;

/** Returns a library in memory, for a browser that stores nothing for this page. */
export const inMemory = () => KnowledgeBase.memory(options);
