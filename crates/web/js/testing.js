// LLM functions for tests: of people who use this package, and of the package itself. None needs a model or a network.

export { adversarial } from "./testing/adversarial.js";
export { diff, recorder, replay } from "./testing/bundle.js";
export { heuristic } from "./testing/heuristic.js";
export { oracle } from "./testing/oracle.js";
export { scripted } from "./testing/scripted.js";
