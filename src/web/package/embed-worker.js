// A worker that holds one sentence encoder.

import start, { OnnxEmbedder } from "./module.js";
import { connect } from "./channel.js";

let embedder = null;

/**
 * Where the ONNX runtime is unless named: beside this worker. Not by `import.meta.url`, for which some bundlers write the
 * path of the file on the machine that built the page.
 */
const beside = () => new URL("ort/", self.location.href.replace(/^blob:/, "")).href;

connect(self, {
  async load(files, { signal, emit }) {
    await start();
    const onProgress = (loaded, total) => emit({ phase: "model", loaded, total });
    embedder = await OnnxEmbedder.load({ ...files, runtime: files.runtime ?? beside() }, onProgress, signal);
  },
  embed: ({ texts, kind }, { signal }) => embedder.embed(texts, kind, signal),
  tokenIds: ({ text }) => [...embedder.tokenIds(text)],
});
