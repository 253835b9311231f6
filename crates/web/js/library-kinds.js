// Kinds of options of a knowledge base that need more than `options.js`.

import { here } from "./here.js";
import { invalid } from "./error.js";
import { shown } from "./options.js";

/** What `Embedder` made. */
export function embedder(name, value) {
  if (!["onnx", "custom"].includes(value?.type)) throw invalid(name, "made by Embedder.onnx(…) or Embedder.custom(…)", shown(value));
  return value;
}

/** What `Reranker` made. */
export function pairReranker(name, value) {
  if (typeof value?.rate !== "function") throw invalid(name, "made by Reranker.onnx(…)", shown(value));
  return value;
}

/** A worker of the user's: an address, from the page's, or a function that makes it. */
export function worker(name, value) {
  if (typeof value === "function") return value;
  if (typeof value !== "string" && !(value instanceof URL)) throw invalid(name, "an address, or a function that returns a Worker", shown(value));
  return new URL(value, here()).href;
}
