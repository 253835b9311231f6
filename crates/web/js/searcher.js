// Searchers of the package's own, for `kb.attach` and for the option `searcher` of steps. What talks to a server is fetched with the
// first search.

import { CHROMA_OPTIONS } from "./generated/searcher-table.js";
import { invalid } from "./error.js";
import { here } from "./here.js";
import { checked, REMOTE } from "./options.js";

/** @param load loads `chroma.js` */
export const searchers = (load) => ({
  /** A collection of a Chroma server, by its HTTP API v2. */
  chroma(options) {
    const own = checked("Searcher.chroma", options, CHROMA_OPTIONS);
    for (const name of ["url", "collection"]) if (own[name] === undefined) throw invalid(`Searcher.chroma.${name}`, "a non-empty string", "undefined");
    const url = new URL(own.url, here()).href.replace(/\/+$/, "");
    let made;
    const client = async () => (made ??= new (await load()).Chroma({ ...own, url }));
    const search = async (request, context) => (await client()).search(request, context);
    return {
      [REMOTE]: { search, chroma: own.fetch ? undefined : { ...own, url } },
      description: own.description,
      schema: own.schema,
      leaves: { url, query: own.phrases === true, vector: true },
      search,
      get: async (ids, context) => (await client()).get(ids, context),
    };
  },
});
