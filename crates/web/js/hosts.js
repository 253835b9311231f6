// Where an engine runs: in a worker of its own, or in place. Which wasm module it is, the entries say.

import { connect, local } from "./channel.js";
import { engineHandlers } from "./engine.js";
import { closed, unsupported } from "./error.js";
import { telling, watchTraps } from "./traps.js";

/** In this worker, for the page that started it. */
export function serveEngine(build) {
  const page = { call: (method, params, options) => channel.call(method, params, options) };
  const handlers = Object.entries(engineHandlers(build, page)).map(([name, handler]) => [name, ending(handler)]);
  const channel = connect(self, Object.fromEntries(handlers));
  self.postMessage({ kind: "here" }); // the script has come, and all that it imports
}

/** A handler whose trap ends this worker: what a trap leaves of a module answers nothing right any more. The page starts another. */
const ending = (handler) => async (...given) => {
  try {
    return await handler(...given);
  } catch (thrown) {
    if (!(thrown instanceof WebAssembly.RuntimeError)) throw thrown;
    setTimeout(() => {
      throw thrown;
    });
    return new Promise(() => {});
  }
};

/** In place: what `knowledgeBaseClass` takes. */
export const inPlace = (build) => (pageHandlers, own, onCrash) => {
  if (own !== undefined) throw unsupported("`workers.engine` is for `vademecum` and `vademecum/lite`: here the engine runs in place.");
  const handlers = engineHandlers(build, local(pageHandlers));
  const end = watchTraps((error) => {
    end();
    engine.close(error);
    handlers.abandon();
    onCrash(error, { isFinal: true });
  });
  const engine = local(Object.fromEntries(Object.entries(handlers).map(([name, handler]) => [name, telling(handler)])));
  const terminate = () => {
    end();
    engine.close(closed());
  };
  return { ...engine, terminate };
};
