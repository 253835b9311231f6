// Stands in the package for the file of this name in crate ort-web, which would fetch the runtime from a server of the crate's authors
// unless told otherwise. `runtime.js` has loaded it from the page's own origin before this is called.

export async function initRuntime() {
  if (!globalThis.ort) throw new Error("the ONNX runtime was not loaded before its crate was started");
  return false;
}
