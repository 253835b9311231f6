// Starts the engine's worker, and fetches and compiles its module, while the page's own scripts are on their way: for a `<script>` of its
// own in the page's head. The first engine of the page takes both. If something fails here, that engine starts anew, and reports it.

import { engineAddress } from "./engine-address.js";
import { preloaded } from "./preloaded.js";
import { started } from "./started.js";

if (globalThis.document && globalThis.Worker && !preloaded().isLate) {
  const { workers, modules } = preloaded();
  modules.set(engineAddress.href, WebAssembly.compileStreaming(fetch(engineAddress)).catch(() => undefined));
  try {
    const { worker, address = "" } = started(() => new Worker(new URL("./worker.js", import.meta.url), { type: "module" }));
    const onMessage = () => (entry.hasStarted = true);
    const onError = (event) => {
      event.preventDefault();
      workers.delete(address);
    };
    const release = () => {
      worker.removeEventListener("message", onMessage);
      worker.removeEventListener("error", onError);
    };
    const entry = { worker, hasStarted: false, release };
    worker.addEventListener("message", onMessage);
    worker.addEventListener("error", onError);
    workers.set(address, entry);
  } catch {
    // A policy for Trusted Types, which only the engine's own address may pass.
  }
}
