// The error for a missing ONNX runtime contains the reason why the model needs it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { VademecumError } from "../../../crates/web/js/error.js";
import { checkBackend, explained } from "../../../crates/web/js/refuse-runtime.js";

const REASON = "`Conv`, which computes `y`, is not where an encoder of the BERT kind has it";

test("a runtime that cannot be fetched is reported with the operator that it is needed for", () => {
  const thrown = new VademecumError("The ONNX runtime could not be loaded from http://a.test/ort/: HTTP 404. Check that the file is served there.", { code: "model_unavailable", retryable: true });
  const { message, code, retryable } = explained(thrown, REASON);
  assert.deepEqual([code, retryable], ["model_unavailable", true]);
  assert.ok(message.endsWith(`HTTP 404. Check that the file is served there. It is needed, because ${REASON}.`), message);
});

test("other errors, and those of a runtime that was asked for by name, are left as they are", () => {
  const corrupt = new VademecumError("cut", { code: "model_corrupt" });
  assert.equal(explained(corrupt, REASON), corrupt);
  const missing = new VademecumError("HTTP 404", { code: "model_unavailable" });
  assert.equal(explained(missing, undefined), missing);
});

test("weights are not rounded by the runtime, whatever model it is asked for", () => {
  assert.throws(() => checkBackend("Reranker.onnx", { backend: "onnxruntime", weights: "int8" }), { code: "invalid_argument", message: /`Reranker\.onnx\.weights`.*the kernel alone rounds weights/s });
  checkBackend("Reranker.onnx", { backend: "onnxruntime" });
  checkBackend("Reranker.onnx", { backend: "kernel", weights: "int8" });
});
