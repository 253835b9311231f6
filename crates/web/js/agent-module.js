// The wasm module of the agent: one for both builds, started as soon as somebody makes an agent, so that a page that only
// searches does not wait for it.

import init, { measureTrials, run, toolSchema, writeCases } from "./vademecum-agent.js";
import { starter } from "./start.js";

const start = starter(init, new URL("./vademecum-agent_bg.wasm", import.meta.url));

/** `{ run, writeCases, measureTrials, toolSchema }`, once it is started. */
export async function agent() {
  await start();
  return { run, writeCases, measureTrials, toolSchema };
}
