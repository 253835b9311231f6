// Starts a wasm module. Browsers fetch it; in Node, whose fetch refuses files, its bytes are read.

import { fromDisk, Watch } from "./download.js";
import { ended, unsupported, VademecumError } from "./error.js";
import { engines } from "./traps.js";

/**
 * Returns a function that starts a module once, and again after a failure. It optionally takes the compiled module,
 * and resolves to the compiled module.
 *
 * @param init the start function by wasm-bindgen
 * @param address URL of the module
 * @param {typeof engines | null} users the modules that it shares its traps with; null if its caller handles them
 */
export function starter(init, address, users = engines) {
  users?.addresses.add(address.href);
  let started = null;
  return (compiled) =>
    (started ??= begin(init, address, compiled).catch((thrown) => {
      started = null;
      throw unavailable(address, thrown);
    }));
}

async function begin(init, address, given) {
  const compiled = given ?? (await compile(address));
  await init({ module_or_path: compiled });
  return compiled;
}

/** Compiles the module at an address. */
export async function compile(address) {
  if (address.protocol === "file:" && globalThis.process?.versions?.node) return WebAssembly.compile(await fromDisk(address.href));
  const watch = new Watch();
  try {
    const response = await watch.fetch(address);
    if (!WebAssembly.compileStreaming || !/^application\/wasm/.test(response.headers.get("content-type") ?? "")) {
      const parts = [];
      await watch.read(response, (part) => parts.push(part));
      return await WebAssembly.compile(await new Blob(parts).arrayBuffer());
    }
    // Compiles the response itself, because browsers cache the result. A copy is read to detect a stall.
    const copy = response.clone();
    const [compiled] = await Promise.all([WebAssembly.compileStreaming(response), watch.read(copy)]);
    return compiled;
  } catch (thrown) {
    throw watch.reason(thrown);
  } finally {
    watch.close();
  }
}

/**
 * Compiles a module for a worker that is being started; resolves to undefined if that fails, for example because a policy forbids it to the
 * page alone: then the worker tries, and reports the reason.
 */
export const compiledBeside = (address) => compile(address).catch(() => undefined);

/** A module with one instruction of 128-bit SIMD, which all modules of the package need. */
const SIMD = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11];

/** Returns the error of a module that could not be loaded. */
export function unavailable(address, cause) {
  if (!WebAssembly.validate(new Uint8Array(SIMD))) {
    return unsupported("This browser has no SIMD instructions of WebAssembly, which the engine needs. Use Chrome or Edge 103, Firefox 114, Safari 16.4, Node 20, or a later one.");
  }
  const message =
    `The wasm module could not be loaded from ${address.href}: ${ended(cause?.message ?? cause)}. Check that the file is served there, ` +
    "and that a content security policy has 'wasm-unsafe-eval' in its script-src.";
  return new VademecumError(message, { code: "module_unavailable", retryable: true, cause });
}
