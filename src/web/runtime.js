// The ONNX runtime's loader (crate ort-web) adds a <script> to the page. A worker has neither page nor script, so
// for the time of loading this stands in for both: the runtime is imported as a module, and the "script" is loaded.

export async function prepareRuntime(base) {
  if (typeof globalThis.document !== "undefined") {
    throw new Error("the ONNX runtime is loaded in a worker only; Embedder.onnx() starts one");
  }
  const runtime = await import(/* webpackIgnore: true */ /* @vite-ignore */ new URL("ort.wasm.min.mjs", base).href);
  globalThis.ort = { ...runtime };
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
