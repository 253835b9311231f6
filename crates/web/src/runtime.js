// The ONNX runtime's loader (crate ort-web) adds a <script> to the page. A worker has neither page nor script, so
// for the time of loading this stands in for both: the runtime is imported as a module, and the "script" is loaded.

import { download } from "../js/download.js";

/** What the crate is written for; the patch does not matter. */
const VERSION = "1.30";

/** Where there are no workers, two encoders may be loaded on one thread: the stand-in for the page serves one at a time. */
let turn = Promise.resolve();
let finish = () => {};

export async function prepareRuntime(base, timeout) {
  const before = turn;
  let done;
  turn = new Promise((resolve) => (done = resolve));
  await before;
  const { Worker, document } = globalThis;
  finish = () => {
    if (!document) {
      delete globalThis.window;
      delete globalThis.document;
    }
    // In Node, the runtime's loader sets one that is not a browser's.
    if (!Worker) delete globalThis.Worker;
    done();
  };
  await prepare(base, timeout).catch((thrown) => {
    finish();
    throw thrown;
  });
}

export const finishRuntime = () => finish();

async function prepare(base, timeout) {
  if (typeof globalThis.document !== "undefined") {
    throw new Error("the ONNX runtime is loaded in a worker only; Embedder.onnx() starts one");
  }
  const address = (name) => new URL(name, base).href;
  const runtime = await load(address("ort.wasm.min.mjs"), timeout);
  const { env, InferenceSession, Tensor } = runtime.module;
  const version = env?.versions?.web;
  if (!env?.wasm || typeof InferenceSession?.create !== "function" || !version?.startsWith(`${VERSION}.`)) {
    throw new Error(`onnxruntime-web ${VERSION} is needed, and ${version ? `this is ${version}` : "this is another module"}`);
  }
  const glue = await load(address("ort-wasm-simd-threaded.mjs"), timeout);
  globalThis.ort = { ...runtime.module, ...copying(InferenceSession, Tensor) };
  env.wasm.wasmPaths = { mjs: glue.url };
  // Not left to the runtime, which would wait for ever where nothing comes any more.
  const wasm = address("ort-wasm-simd-threaded.wasm");
  const binary = await download(wasm, timeout).catch((reason) => Promise.reject(new Error(`${wasm}: ${reason.message}`)));
  env.wasm.wasmBinary = binary.buffer.byteLength === binary.byteLength ? binary.buffer : binary.slice().buffer;
  // A pool of workers runs batches side by side; threads inside a worker would need cross-origin isolation.
  env.wasm.numThreads = 1;

  globalThis.window = globalThis;
  globalThis.document = {
    createElement() {
      const listeners = {};
      return {
        setAttribute() {},
        addEventListener: (type, listener) => (listeners[type] = listener),
        loaded: () => listeners.load?.(),
      };
    },
    head: { appendChild: (script) => queueMicrotask(script.loaded) },
  };
}

/**
 * The runtime's classes, with copies of what they are given. The crate hands over views of this module's memory, and the runtime
 * reads them later: a view is detached as soon as that memory grows, which whatever runs meanwhile may have it do.
 */
function copying(InferenceSession, Tensor) {
  const copied = (data) => (ArrayBuffer.isView(data) ? data.slice() : data);
  return {
    InferenceSession: { create: (model, ...how) => InferenceSession.create(copied(model), ...how) },
    Tensor: class extends Tensor {
      constructor(type, data, dims) {
        super(type, copied(data), dims);
      }
    },
  };
}

/** Imports a module, also from a host that serves `.mjs` as something else than JavaScript. */
async function load(url, timeout) {
  try {
    return { url, module: await inTime(url, timeout) };
  } catch (refused) {
    if (refused.isLate) throw refused;
    const response = await fetch(url, { signal: AbortSignal.timeout(timeout) });
    if (!response.ok) throw new Error(`${url}: HTTP ${response.status}`);
    if (/javascript|html/.test(response.headers.get("content-type"))) throw refused;
    const copy = URL.createObjectURL(new Blob([await response.arrayBuffer()], { type: "text/javascript" }));
    return { url: copy, module: await import(/* webpackIgnore: true */ /* @vite-ignore */ copy) };
  }
}

/** Nothing tells how far an import is, or ends it. */
function inTime(url, timeout) {
  let timer;
  const late = new Promise((_, reject) => {
    const error = Object.assign(new Error(`${url} did not come in ${timeout / 1000} seconds`), { isLate: true });
    timer = setTimeout(() => reject(error), timeout);
  });
  return Promise.race([import(/* webpackIgnore: true */ /* @vite-ignore */ url), late]).finally(() => clearTimeout(timer));
}
