// Vectors of questions by an embedder that is a function of the page's. An engine in a worker would ask the page for each of them; the page knows
// which questions it searches for, and sends a vector with its search, or behind it if the embedder takes longer. Not in the lite build, for its size.

import { fromPlain, toPlain } from "./error.js";

/** Modes in which the engine embeds the question. */
const EMBEDS = ["hybrid", "vector"];
/** Milliseconds for which a search waits on the page for its vector. In the engine it ends at once when it is aborted, or the engine fails. */
const TURN = 5;

/**
 * Returns `connect` with engines that the page sends vectors of questions to. A worker of the user's, `own`, may be of another version or build, and
 * asks for them.
 * @param {(handlers: any, own: any, onCrash: any) => any} connect starts an engine: an argument of `knowledgeBaseClass`
 */
export const sendingVectors = (connect) => (handlers, own, onCrash) => {
  const engine = connect(handlers, own, onCrash);
  if (own !== undefined) return engine;
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
  /** Sends the outcome of the embedder behind its search, or why it could not be sent. */
  const follow = async (id, embedding) => {
    const tell = (question) => engine.call("embedded", { id, question });
    await tell(await embedding).catch((thrown) => tell({ error: toPlain(thrown) })).catch(() => {}); // then the engine is gone, and the search with it
  };
  const search = async (params, how) => {
    const ending = new AbortController();
    const embedding = embedded([params.query], ending.signal);
    const id = ++last;
    const began = performance.now();
    const first = await within(TURN, embedding, how?.signal);
    const waited = performance.now() - began;
    if (!first) void follow(id, embedding);
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

/** Resolves to what a promise does within milliseconds, unless a signal is aborted before; else to undefined. */
async function within(milliseconds, promise, signal) {
  let end = () => {};
  const late = new Promise((resolve) => (end = () => resolve(undefined)));
  const timer = setTimeout(end, milliseconds);
  signal?.addEventListener("abort", end);
  const first = await Promise.race([promise, late]);
  clearTimeout(timer);
  signal?.removeEventListener("abort", end);
  return first;
}

/** A search whose question is not embedded yet, with the outcome of the embedder, or undefined if the search ends before. */
class Waiting {
  isTaken = false;
  outcome;
  /** @type {(outcome: any) => void} */
  settle = () => {};

  constructor(query, { id, ...known }) {
    this.query = query;
    this.id = id;
    this.outcome = id === undefined ? Promise.resolve(known) : new Promise((resolve) => (this.settle = resolve));
  }
}

/**
 * Returns `handlersOf` with engines that take vectors of questions from the page.
 * @param {(build: any, page: any) => any} handlersOf the handlers of an engine
 */
export const takingVectors = (handlersOf) => (build, page) => {
  /** @type {Set<Waiting>} */
  const searches = new Set();
  const call = async (method, params, how) => {
    const isQuestion = method === "embed" && params.kind === "query" && params.texts.length === 1;
    const one = isQuestion ? [...searches].find(({ query, isTaken }) => query === params.texts[0] && !isTaken) : undefined;
    if (!one) return page.call(method, params, how);
    one.isTaken = true;
    const outcome = await one.outcome;
    // Another search of the same question has taken it, and goes on without the one that has ended.
    if (outcome === undefined) return page.call(method, params, how);
    if (outcome.error) throw fromPlain(outcome.error);
    return outcome.vectors;
  };
  const handlers = handlersOf(build, { ...page, call });
  return {
    ...handlers,
    async search({ question, ...request }, context) {
      if (!question) return handlers.search(request, context);
      const one = new Waiting(request.query, question);
      searches.add(one);
      try {
        return await handlers.search(request, context);
      } finally {
        searches.delete(one);
        one.settle(undefined);
      }
    },
    embedded: async ({ id, question }) => [...searches].find((one) => one.id === id)?.settle(question),
  };
};
