// A worker that builds one HNSW graph: minutes for tens of thousands of vectors, and nobody waits for it.

import init, { buildGraph } from "./vademecum.js";
import { connect } from "./channel.js";

connect(self, {
  async build({ vectors }) {
    await init();
    return buildGraph(vectors);
  },
});
