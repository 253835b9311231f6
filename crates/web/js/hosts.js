// Where an engine runs: in a worker of its own, or on the calling thread. The entries choose the wasm module.

import { connect, local } from "./channel.js";
import { engineHandlers } from "./engine.js";
import { closed, unsupported } from "./error.js";
import { telling, watchTraps } from "./traps.js";

/** Runs the engine in this worker, for the page that started it. */
export function serveEngine(build) {
  const page = { call: (method, params, options) => channel.call(method, params, options) };
  const handlers = Object.entries(engineHandlers(build, page)).map(([name, handler]) => [name, ending(handler)]);
  const channel = connect(self, Object.fromEntries(handlers));
  self.postMessage({ kind: "here" }); // the script and all its imports are loaded
}

/** Wraps a handler so that a trap ends this worker, because the module's state is undefined after a trap. The page starts another worker. */
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

/** Runs the engine on the calling thread; an argument of `knowledgeBaseClass`. */
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
