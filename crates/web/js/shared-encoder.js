// The handlers of an encoder that several tabs call: it is loaded once, and loaded anew while no call runs.

import { mapped } from "./traps.js";

/**
 * @param {any} own the handlers of one encoder
 * @param {(error: any) => void} fail called when the model is lost: it could not be loaded anew
 */
export function sharedEncoder({ load, ...own }, fail) {
  /** @type {{ build?: string, about: Promise<any> } | null} */
  let loading = null; // the current loading, or its outcome
  const running = new Set(); // calls of the model

  /** Waits for the loading, and has the next one wait for the call. */
  const calling = (handler) => async (...given) => {
    await loading?.about;
    const call = handler(...given);
    running.add(call);
    try {
      return await call;
    } finally {
      running.delete(call);
    }
  };

  return {
    ...mapped(own, calling),
    /** Loads the model, once for all tabs that begin at the same time; anew for another build of the kernel. */
    load(given) {
      const build = given.build?.name;
      const before = loading;
      if (before && (before.build === build || build === undefined)) return before.about;
      const begun = { build, about: Promise.allSettled(running).then(() => load(given)) };
      loading = begun;
      begun.about.catch((error) => {
        loading = null;
        if (before) fail(error); // the other tabs have a model no more
      });
      return begun.about;
    },
    /** Returns what `load` did for another tab, once it has; null if there is no model. */
    loaded: async () => loading?.about.catch(() => null) ?? null,
  };
}
