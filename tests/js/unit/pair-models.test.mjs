// Rerankers and readers beside their workers: failures that pass, and models that are closed while they start.

import assert from "node:assert/strict";
import { test } from "node:test";
import { VademecumError } from "../../../crates/web/js/error.js";
import { pairModels } from "../../../crates/web/js/pair-models.js";

/** Files within their addresses, so that nothing is fetched over a network. */
const FILES = { model: "data:,model", tokenizer: "data:,tokenizer" };

/** Models whose workers answer at once; `load` may fail. */
function models(/** @type {() => void} */ load = () => {}) {
  const started = [];
  const spawn = () => {
    const worker = {
      terminated: false,
      async call(method, params) {
        if (method === "load") return load(), {};
        return params?.passages?.map((text) => text.length);
      },
      terminate: () => (worker.terminated = true),
    };
    started.push(worker);
    return worker;
  };
  return { ...pairModels(() => import("../../../crates/web/js/pair-pool.js"), spawn), started };
}

for (const kind of /** @type {("Reader" | "Reranker")[]} */ (["Reader", "Reranker"])) {
  test(`a ${kind} whose loading has failed is loaded again by the next call`, async () => {
    let fails = true;
    const { [kind]: made } = models(() => {
      if (fails) throw new VademecumError("HTTP 503", { code: "model_unavailable", retryable: true });
    });
    const model = made.onnx(FILES);
    await assert.rejects(model("Who?", ["Ada."]), { code: "model_unavailable" });
    fails = false;
    assert.deepEqual(await model("Who?", ["Ada."]), [4]);
    model.close();
  });

  test(`closing a ${kind} ends its workers, whenever they start, and the calls that wait, in its own words`, async () => {
    const { [kind]: made, started } = models();
    const model = made.onnx(FILES);
    const loading = model.load();
    model.close();
    await assert.rejects(loading, ({ code, message }) => code === "closed" && !message.includes("KnowledgeBase"));
    assert.ok(started.every((worker) => worker.terminated));
    assert.deepEqual(await model("Who?", ["Ada."]), [4], "a later call starts others");
    model.close();
    await new Promise((resolve) => setTimeout(resolve, 0));
    assert.ok(started.length > 0 && started.every((worker) => worker.terminated));
  });

  test(`without passages, a ${kind} starts no worker`, async () => {
    const { [kind]: made, started } = models();
    assert.deepEqual(await made.onnx(FILES)("Who?", []), []);
    assert.equal(started.length, 0);
  });
}
