// The wasm module of the kernel, started.

import initPlain, * as plain from "./vademecum-encoder.js";
import initRelaxed, * as relaxed from "./vademecum-encoder-relaxed.js";
import { addresses, bestBuild } from "./encoder-build.js";
import { starter } from "./start.js";
import { encoders } from "./traps.js";

const builds = {
  plain: { start: starter(initPlain, addresses.plain, encoders), classes: plain },
  relaxed: { start: starter(initRelaxed, addresses.relaxed, encoders), classes: relaxed },
};

/**
 * Returns the classes `KernelEmbedder` and `KernelPairEncoder` of a build, once it is started; of the best one without a `name`.
 * @param {{ name?: string, compiled?: WebAssembly.Module }} [build]
 */
export async function kernelModule({ name = bestBuild(), compiled } = {}) {
  const { start, classes } = builds[name];
  await start(compiled);
  return classes;
}
