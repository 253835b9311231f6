// Where an engine runs: in a worker of its own, or in place. Which wasm module it is, the entries say.

import { connect, local } from "./channel.js";
import { engineHandlers } from "./engine.js";
import { closed } from "./error.js";

/** In this worker, for the page that started it. */
export function serveEngine(build) {
  const page = { call: (...call) => channel.call(...call) };
  const channel = connect(self, engineHandlers(build, page));
}

/** In place: what `knowledgeBaseClass` takes. */
export const inPlace = (build) => (pageHandlers) => {
  const engine = local(engineHandlers(build, local(pageHandlers)));
  return { ...engine, terminate: () => engine.close(closed()) };
};
