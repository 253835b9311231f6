// A worker that builds one HNSW graph, which takes minutes for tens of thousands of vectors, in the background. It uses
// the module without documents, because building needs no other code.

import start from "./wasm.js";
import { buildGraph } from "./vademecum-index.js";
import { connect } from "./channel.js";

connect(self, {
  async build({ vectors }) {
    await start();
    return buildGraph(vectors);
  },
});
self.postMessage({ kind: "here" }); // the script and all its imports are loaded
