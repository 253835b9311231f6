// Remote collections on the engine's side: their functions are on the page, which the engine calls.

import { VademecumError } from "./error.js";

/**
 * @param engine returns the engine, which another may replace
 * @param page calls functions of the page
 */
export function remotes(engine, page) {
  const attached = new Map();
  const port = (key) => ({
    search: (request, vector, signal) => page.call("remote", { key, request: JSON.parse(request), vector }, { signal }),
    documents: (ids, signal) => page.call("remote", { key, ids: JSON.parse(ids) }, { signal }),
  });
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
