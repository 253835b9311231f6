// Starts a wasm module. Browsers fetch it; in Node, whose fetch refuses files, its bytes are read.

import { fromDisk, Watch } from "./download.js";
import { ended, unsupported, VademecumError } from "./error.js";
import { HAVING, hasSimd, LACKING } from "./simd.js";
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

/** Milliseconds after the last byte in which a browser must have compiled a module. Firefox 140 may stop compiling until it is started again. */
const UNCOMPILED = 20_000;

/** Compiles the module at an address. */
export async function compile(address) {
  if (address.protocol === "file:" && globalThis.process?.versions?.node) return WebAssembly.compile(await fromDisk(address.href));
  const watch = new Watch();
  let timer;
  try {
    const response = await watch.fetch(address);
    if (!WebAssembly.compileStreaming || !/^application\/wasm/.test(response.headers.get("content-type") ?? "")) {
      const parts = [];
      await watch.read(response, (part) => parts.push(part));
      return await WebAssembly.compile(await new Blob(parts).arrayBuffer());
    }
    // Compiles the response itself, because browsers cache the result. A copy is read to detect a stall.
    const read = watch.read(response.clone());
    const late = read.then(() => new Promise((_, reject) => {
      const seconds = UNCOMPILED / 1000;
      timer = setTimeout(() => reject(new Error(`the browser has not compiled it in ${seconds} seconds; if that happens again, restart the browser`)), UNCOMPILED);
    }));
    const [compiled] = await Promise.all([Promise.race([WebAssembly.compileStreaming(response), late]), read]);
    return compiled;
  } catch (thrown) {
    throw watch.reason(thrown);
  } finally {
    clearTimeout(timer);
    watch.close();
  }
}

/**
 * Compiles a module for a worker that is being started; resolves to undefined if that fails, for example because a policy forbids it to the
 * page alone: then the worker tries, and reports the reason.
 */
export const compiledBeside = (address) => compile(address).catch(() => undefined);

/** Returns the error of something that needs SIMD in a browser that has none. */
export const withoutSimd = (what) => unsupported(`${LACKING}, which ${what} needs. ${HAVING}`);

/** Returns the error of a module that could not be loaded. */
export function unavailable(address, cause) {
  // The modules that do without are fetched like any other, and may be missing.
  if (cause instanceof WebAssembly.CompileError && !hasSimd()) {
    return withoutSimd(address.pathname.split("/").at(-1));
  }
  const message =
    `The wasm module could not be loaded from ${address.href}: ${ended(cause?.message ?? cause)}. Check that the file is served there, ` +
    "and that a content security policy has 'wasm-unsafe-eval' in its script-src.";
  return new VademecumError(message, { code: "module_unavailable", retryable: true, cause });
}
