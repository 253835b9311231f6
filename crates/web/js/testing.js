// LLM functions for tests, of applications and of this package. None needs a model or a network.

export { adversarial } from "./testing/adversarial.js";
export { diff, recorder, replay } from "./testing/bundle.js";
export { heuristic } from "./testing/heuristic.js";
export { oracle } from "./testing/oracle.js";
export { scripted } from "./testing/scripted.js";
