// Starts a wasm module. Browsers fetch it; Node's fetch refuses files, so there its bytes are read.

import { VademecumError } from "./error.js";

const NODE_FILES = "node:fs/promises";

/**
 * A function that starts a module once, however often it is called; after a failure, anew.
 *
 * @param init what starts the module, by wasm-bindgen
 * @param address where the module is: a URL
 */
export function starter(init, address) {
  let started = null;
  return () =>
    (started ??= begin(init, address).catch((thrown) => {
      started = null;
      throw unavailable(address, thrown);
    }));
}

async function begin(init, address) {
  const isFile = address.protocol === "file:" && globalThis.process?.versions?.node;
  return init({ module_or_path: isFile ? await bytes(address) : address });
}

async function bytes(address) {
  // Not by name: a bundler for browsers would look for it.
  const { readFile } = await import(/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ NODE_FILES);
  return readFile(address);
}

function unavailable(address, cause) {
  const message =
    `The wasm module could not be loaded from ${address.href}: ${cause?.message ?? cause}. Check that the file is served there, ` +
    "and that a content security policy has 'wasm-unsafe-eval' in its script-src.";
  return new VademecumError(message, { code: "module_unavailable", retryable: true, cause });
}
