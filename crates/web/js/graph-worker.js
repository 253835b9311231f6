// A worker that builds one HNSW graph: minutes for tens of thousands of vectors, and nobody waits for it. Only building needs
// its code, so the module is the one without documents.

import start from "./wasm.js";
import { buildGraph } from "./vademecum-index.js";
import { connect } from "./channel.js";

connect(self, {
  async build({ vectors }) {
    await start();
    return buildGraph(vectors);
  },
});
self.postMessage({ kind: "here" }); // the script has come, and all that it imports
