// Starts a wasm module. Browsers fetch it; Node's fetch refuses files, so there its bytes are read.

import { fromDisk, Watch } from "./download.js";
import { ended, VademecumError } from "./error.js";
import { modules } from "./traps.js";

/**
 * A function that starts a module once, however often it is called; after a failure, anew. It may be given the compiled module,
 * and resolves to that.
 *
 * @param init what starts the module, by wasm-bindgen
 * @param address where the module is: a URL
 * @param ofEngine whether engines use it
 */
export function starter(init, address, { ofEngine = true } = {}) {
  if (ofEngine) modules.add(address.href);
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

async function compile(address) {
  if (address.protocol === "file:" && globalThis.process?.versions?.node) return WebAssembly.compile(await fromDisk(address.href));
  const watch = new Watch();
  try {
    const response = await watch.fetch(address);
    if (!WebAssembly.compileStreaming || !/^application\/wasm/.test(response.headers.get("content-type") ?? "")) {
      const parts = [];
      await watch.read(response, (part) => parts.push(part));
      return await WebAssembly.compile(await new Blob(parts).arrayBuffer());
    }
    // The response itself is compiled: browsers keep what came of it. A copy tells whether bytes come.
    const copy = response.clone();
    const [compiled] = await Promise.all([WebAssembly.compileStreaming(response), watch.read(copy)]);
    return compiled;
  } catch (thrown) {
    throw watch.reason(thrown);
  } finally {
    watch.close();
  }
}

function unavailable(address, cause) {
  const message =
    `The wasm module could not be loaded from ${address.href}: ${ended(cause?.message ?? cause)}. Check that the file is served there, ` +
    "and that a content security policy has 'wasm-unsafe-eval' in its script-src.";
  return new VademecumError(message, { code: "module_unavailable", retryable: true, cause });
}
