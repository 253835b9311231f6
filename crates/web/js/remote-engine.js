// Remote collections on the engine's side. Their functions are on the page, which the engine calls. A Chroma server that has answered the page, whose
// content security policy allows it then, is searched from the engine's worker: that takes two messages less.

import { VademecumError } from "./error.js";

/** The error of a request that cannot be made here. No retry helps. */
const FORBIDDEN = new VademecumError("The worker of the engine may not send this request.", { code: "remote_unavailable" });

/**
 * Returns `search(request, vector, signal)` of a Chroma server, from here. If the first one fails, it resolves to undefined: a worker has a content
 * security policy of its own, and perhaps no service worker that adds a key.
 * @param {any} Chroma the client
 * @param options those of `Searcher.chroma`
 */
function fromHere(Chroma, options) {
  let hasFound = false;
  const own = async (url, init) => {
    try {
      return await fetch(url, init);
    } catch (thrown) {
      if (hasFound || init.signal.aborted) throw thrown;
      throw FORBIDDEN;
    }
  };
  const client = new Chroma({ ...options, fetch: own });
  return async (request, vector, signal) => {
    try {
      const reply = await client.search({ ...request, vector }, { signal });
      hasFound = true;
      return JSON.stringify(reply);
    } catch (error) {
      if (hasFound || signal.aborted) throw error;
      return undefined;
    }
  };
}

/**
 * @param {any} [Chroma] the client of Chroma; not for an engine on the calling thread, which saves nothing by it
 * @returns {(engine: () => any, page: any) => any} `engine` returns the engine, which another may replace; `page` calls functions of the page
 */
export const remotes = (Chroma) => (engine, page) => {
  const attached = new Map();
  const port = (key) => {
    /** @type {any} */
    let here; // null if the worker may not send requests
    return {
      async search(asked, vector, signal) {
        const request = JSON.parse(asked);
        // Searches of a run pass the page, which keeps its ledger.
        if (here && !request.run) {
          const found = await here(request, vector, signal);
          if (found !== undefined) return found;
          here = null;
        }
        const { reply, chroma } = await page.call("remote", { key, request, vector }, { signal });
        if (here === undefined && Chroma && chroma) here = fromHere(Chroma, chroma);
        return reply;
      },
      documents: (ids, signal) => page.call("remote", { key, ids: JSON.parse(ids) }, { signal }),
    };
  };
  const attach = ({ name, key, options }) => engine().attach(name, port(key), options);
  return {
    /** Attaches those of an engine that has gone, and those that are attached already. */
    again(list = [...attached.values()]) {
      for (const one of list) {
        try {
          attach(one);
          attached.set(one.name, one);
        } catch {
          // Its name was given to a collection of the library meanwhile: that one is what searches of this name find.
          attached.delete(one.name);
        }
      }
    },
    has: (name) => attached.has(name),
    async document(name, id, signal) {
      const found = await engine().remoteDocument(name, id, signal);
      if (found) return found;
      throw new VademecumError(`There is no document \`${id}\` in the collection \`${name}\`.`, { code: "unknown_document" });
    },
    /** The engine as a run calls it: searches tell the page by which run they are made. */
    ofRun: (run) =>
      Object.create(engine(), {
        searchFor: { value: (request, sendable, signal) => engine().searchFor(request, sendable, signal, run) },
        documentElsewhere: { value: (request, sendable, signal) => engine().documentElsewhere(request, sendable, signal, run) },
      }),
    handlers: {
      async attach(one) {
        attach(one);
        attached.set(one.name, one);
      },
      detach: async ({ name }) => {
        attached.delete(name);
        return engine().detach(name);
      },
      searchRemote: ({ name, key, options, request }, { signal }) => engine().searchRemote(name, port(key), options, request, signal),
    },
  };
}
