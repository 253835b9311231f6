// The ONNX runtime's loader (crate ort-web) adds a <script> to the page. A worker has neither page nor script, so
// for the time of loading this stands in for both: the runtime is imported as a module, and the "script" is loaded.

export async function prepareRuntime(base) {
  if (typeof globalThis.document !== "undefined") {
    throw new Error("the ONNX runtime is loaded in a worker only; Embedder.onnx() starts one");
  }
  const runtime = await load(new URL("ort.wasm.min.mjs", base).href);
  const glue = await load(new URL("ort-wasm-simd-threaded.mjs", base).href);
  globalThis.ort = { ...runtime.module };
  globalThis.ort.env.wasm.wasmPaths = { mjs: glue.url, wasm: new URL("ort-wasm-simd-threaded.wasm", base).href };
  // A pool of workers runs batches side by side; threads inside a worker would need cross-origin isolation.
  globalThis.ort.env.wasm.numThreads = 1;

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

export function finishRuntime() {
  delete globalThis.window;
  delete globalThis.document;
}

/** Imports a module, also from a host that serves `.mjs` as something else than JavaScript. */
async function load(url) {
  try {
    return { url, module: await import(/* webpackIgnore: true */ /* @vite-ignore */ url) };
  } catch (refused) {
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${url}: HTTP ${response.status}`);
    if (/javascript|html/.test(response.headers.get("content-type"))) throw refused;
    const copy = URL.createObjectURL(new Blob([await response.arrayBuffer()], { type: "text/javascript" }));
    return { url: copy, module: await import(/* webpackIgnore: true */ /* @vite-ignore */ copy) };
  }
}
