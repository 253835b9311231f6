// One encoder where there are no workers, as in Node, Deno and shared workers: it computes on the thread that asks.

import { local } from "./channel.js";
import { encoderHandlers } from "./encoder.js";
import { invalid } from "./error.js";

function beside() {
  if (globalThis.location) return new URL("ort/", globalThis.location.href).href;
  throw invalid("Embedder.onnx.runtime", "the folder of the ONNX runtime's three files", "undefined");
}

export const encoderInPlace = () => ({ ...local(encoderHandlers(beside)), terminate() {} });
