// The options that every model has: where its files are.

import { invalid } from "./error.js";
import { here } from "./here.js";
import { isIntegrity } from "./integrity.js";
import { shown, text } from "./options.js";

const absolute = (url) => new URL(url, here()).href;

/** Returns the absolute addresses of a model's files, and how they are fetched. `where` begins the names of options in errors. */
export function sourceOf(where, { model, tokenizer, runtime, timeout, integrity, cache }) {
  if (integrity !== undefined && !isIntegrity(integrity)) throw invalid(`${where}.integrity`, "a hash such as `sha256-…` in base64", shown(integrity));
  return {
    model: absolute(text(`${where}.model`, model)),
    tokenizer: absolute(text(`${where}.tokenizer`, tokenizer)),
    // Without it, the worker that loads the runtime finds it beside the package.
    runtime: runtime === undefined ? undefined : absolute(runtime.replace(/\/*$/, "/")),
    timeout,
    integrity,
    cache,
  };
}
