// A worker that holds one sentence encoder.

import start, { OnnxEmbedder } from "./module.js";
import { connect } from "./channel.js";

let embedder = null;

connect(self, {
  async load(files, { signal, emit }) {
    await start();
    const onProgress = (loaded, total) => emit({ phase: "model", loaded, total });
    embedder = await OnnxEmbedder.load(files, onProgress, signal);
  },
  embed: ({ texts, kind }, { signal }) => embedder.embed(texts, kind, signal),
  tokenIds: ({ text }) => [...embedder.tokenIds(text)],
});
