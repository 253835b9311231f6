// Vectors of questions by an embedder that is a function of the page's. An engine in a worker would ask the page for each of them; the page knows
// which questions it searches for, and sends a vector with its search, or behind it if the embedder takes longer. Not in the lite build, for its size.

import { fromPlain, toPlain } from "./error.js";

/** Modes in which the engine embeds the question. */
const EMBEDS = ["hybrid", "vector"];
/** Milliseconds for which a search waits on the page for its vector. A search on the engine's side ends at once when it is aborted, or the engine fails. */
const TURN = 5;

/**
 * Returns `connect` with engines that the page sends vectors of questions to.
 * @param {(handlers: any, ...given: any[]) => any} connect starts an engine: an argument of `knowledgeBaseClass`
 */
export const sendingVectors = (connect) => (handlers, ...given) => {
  const engine = connect(handlers, ...given);
  let isCustom = false;
  let last = 0;
  /** Resolves to the vector, or to the error without it: the engine knows what becomes of the search then. */
  const embedded = async (texts, signal) => {
    try {
      return { vectors: await handlers.embed({ texts, kind: "query" }, { signal }) };
    } catch (thrown) {
      return { error: toPlain(thrown) };
    }
  };
  const search = async (params, how) => {
    const ending = new AbortController();
    const embedding = embedded([params.query], ending.signal);
    const id = ++last;
    const began = performance.now();
    const first = await within(TURN, embedding);
    const waited = performance.now() - began;
    if (!first) void embedding.then((question) => engine.call("embedded", { id, question })).catch(() => {}); // then the search fails as well
    try {
      const found = await engine.call("search", { ...params, question: first ?? { id } }, how);
      return { ...found, tookMs: found.tookMs + waited };
    } finally {
      ending.abort();
    }
  };
  const call = (method, params, how) => {
    if (method === "open") isCustom = params.embedder?.type === "custom";
    const embeds = isCustom && method === "search" && EMBEDS.includes(params.mode ?? "hybrid") && params.query.trim() !== "" && !how?.signal?.aborted;
    return embeds ? search(params, how) : engine.call(method, params, how);
  };
  return { ...engine, call };
};

/** Resolves to what a promise does within milliseconds, or to undefined. */
async function within(milliseconds, promise) {
  let timer;
  const late = new Promise((resolve) => (timer = setTimeout(resolve, milliseconds)));
  const first = await Promise.race([promise, late]);
  clearTimeout(timer);
  return first;
}

/**
 * Returns `handlersOf` with engines that take vectors of questions from the page.
 * @param {(build: any, page: any) => any} handlersOf the handlers of an engine
 */
export const takingVectors = (handlersOf) => (build, page) => {
  /** Searches whose question was not embedded yet. @type {Set<any>} */
  const searches = new Set();
  const call = (method, params, how) => {
    const isQuestion = method === "embed" && params.kind === "query" && params.texts.length === 1;
    const one = isQuestion && [...searches].find(({ query, isTaken }) => query === params.texts[0] && !isTaken);
    if (!one) return page.call(method, params, how);
    one.isTaken = true;
    return one.vectors;
  };
  const handlers = handlersOf(build, { ...page, call });
  return {
    ...handlers,
    async search({ question, ...request }, context) {
      if (!question) return handlers.search(request, context);
      const { id, ...known } = question;
      const one = { id, query: request.query, isTaken: false };
      const came = id === undefined ? known : new Promise((resolve) => (one.come = resolve));
      one.vectors = Promise.resolve(came).then(({ vectors, error }) => vectors ?? Promise.reject(fromPlain(error)));
      one.vectors.catch(() => {}); // of a search that ended before
      searches.add(one);
      try {
        return await handlers.search(request, context);
      } finally {
        searches.delete(one);
      }
    },
    embedded: async ({ id, question }) => [...searches].find((one) => one.id === id)?.come(question),
  };
};
