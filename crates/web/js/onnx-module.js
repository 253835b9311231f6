// The wasm module that runs any encoder by an ONNX runtime, and counts tokens by any tokenizer. Started for models that the
// kernel does not have.

import init, { OnnxEmbedder, OnnxPairEncoder, TokenCounter } from "./vademecum-onnx.js";
import { refuseRuntime } from "./refuse-runtime.js";
import { hasSimd } from "./simd.js";
import { starter, withoutSimd } from "./start.js";
import { encoders } from "./traps.js";

const start = starter(init, new URL("./vademecum-onnx_bg.wasm", import.meta.url), encoders);

/** Returns the classes of the module once it is started; `reason` says why the kernel does not run the model. */
export async function onnxModule(reason) {
  refuseRuntime(reason && `The kernel does not run the model: ${reason}. `);
  if (!hasSimd()) throw withoutSimd("the ONNX runtime");
  await start();
  return { OnnxEmbedder, OnnxPairEncoder };
}

/** Returns a function that counts a text's tokens, up to a limit. */
export async function tokenCounter({ bytes, url }, limit) {
  await start();
  const counter = new TokenCounter(bytes, url, limit);
  return (text) => counter.count(text);
}
