// The wasm module of the agent: one for both builds, started when an agent is created, so that a page that only
// searches does not wait for it.

import init, { measureTrials, run, toolSchema, writeCases } from "./vademecum-agent.js";
import { starter } from "./start.js";

const start = starter(init, new URL("./vademecum-agent_bg.wasm", import.meta.url));

/** Returns `{ run, writeCases, measureTrials, toolSchema }` once the module is started. */
export async function agent() {
  await start();
  return { run, writeCases, measureTrials, toolSchema };
}
