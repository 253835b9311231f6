// Where an engine runs: in a worker of its own, or on the calling thread. The entries choose the wasm module.

import { connect, local } from "./channel.js";
import { engineHandlers } from "./engine.js";
import { closed, unsupported } from "./error.js";
import { ending, engines, failOnUnread, mapped, telling } from "./traps.js";

/** Runs the engine in this worker, for the page that started it. */
export function serveEngine(build, handlersOf = engineHandlers) {
  const page = { call: (...call) => /** @type {any} */ (channel.call)(...call) };
  const channel = connect(self, mapped(handlersOf(build, page), ending));
  failOnUnread();
  self.postMessage({ kind: "here" }); // the script and all its imports are loaded
}

/** Runs the engine on the calling thread; an argument of `knowledgeBaseClass`. */
export const inPlace = (build) => (pageHandlers, own, onCrash) => {
  if (own !== undefined) throw unsupported("`workers.engine` is for `vademecum` and `vademecum/lite`: here the engine runs in place.");
  const handlers = engineHandlers(build, local(pageHandlers));
  const end = engines.watch((error) => {
    end();
    engine.close(error);
    handlers.abandon();
    onCrash(error, { isFinal: true });
  });
  const engine = local(mapped(handlers, telling));
  const terminate = () => {
    end();
    engine.close(closed());
  };
  return { ...engine, terminate };
};
