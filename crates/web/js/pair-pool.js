// Workers that rate or read pairs of a question and a passage.

import { aborted, invalid, toPlain, VademecumError } from "./error.js";
import { SEARCH_RERANK_DEFAULTS } from "./generated/knowledge-base-table.js";
import { ModelPool } from "./model-pool.js";

/** Passages per call: few, so that several workers share a question's passages. With a deadline, each passage is a call. */
const BATCH = 4;

export class PairPool extends ModelPool {
  closed = () => new VademecumError("This model is closed, which ended the call. Call it again to load it anew.", { code: "closed" });

  /**
   * Returns the relevance of each passage, from 0 to 1. When `deadlineMs` is over, those that are not rated yet are null.
   * @param {string} question @param {string[]} passages
   * @param {{ signal?: AbortSignal, deadlineMs?: number }} how
   * @returns {Promise<(number | null)[]>}
   */
  async rate(question, passages, { signal, deadlineMs } = {}) {
    if (deadlineMs === undefined) return this.#each("rate", question, passages, signal);
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), deadlineMs);
    try {
      return await this.#each("rate", question, passages, signal, { signal: late.signal, end: performance.now() + deadlineMs });
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Returns the most probable answer of each passage: `{ start, end, probability }` with places in UTF-16 code units, or null.
   * @param {string} question @param {string[]} passages
   * @param {{ signal?: AbortSignal }} how
   */
  read(question, passages, { signal } = {}) {
    return this.#each("read", question, passages, signal);
  }

  /**
   * Calls the workers with a few passages at a time. Results are null where the deadline `late` ended the call.
   * @param {string} method @param {string} question @param {string[]} passages
   * @param {AbortSignal} [signal] @param {{ signal: AbortSignal, end: number }} [late]
   */
  async #each(method, question, passages, signal, late) {
    if (signal?.aborted) throw aborted();
    if (passages.length === 0) return [];
    const stop = new AbortController();
    const end = () => stop.abort();
    signal?.addEventListener("abort", end, { once: true });
    late?.signal.addEventListener("abort", end, { once: true });
    const over = late ? ended(late.signal) : new Promise(() => {});
    // Where a model runs in place, no timer fires while it computes, so that the clock is asked as well.
    const isLate = () => late !== undefined && (late.signal.aborted || performance.now() >= late.end);
    // Starts again after a failure, unless that would repeat itself.
    if (this.failure && !this.failure.retryable) throw this.failure;
    const { failure } = this;
    await Promise.race([this.load(signal), over]);
    if (late?.signal.aborted && failure && !this.isReady()) throw failure;
    const size = late ? 1 : BATCH;
    const results = passages.map(() => null);
    let next = 0;
    /** Calls workers with the next passages until none are left. */
    const lane = async () => {
      while (next < passages.length && !isLate()) {
        const at = next;
        next += size;
        const called = this.call(method, { question, passages: passages.slice(at, at + size) }, { signal: stop.signal, isUrgent: true }).catch((error) => {
          if (late?.signal.aborted && !signal?.aborted) return [];
          stop.abort(); // the other calls
          throw error;
        });
        // A worker finishes what it has begun: nobody waits for that.
        const found = await Promise.race([called, over.then(() => [])]);
        found.forEach((result, index) => (results[at + index] = result));
      }
    };
    try {
      await Promise.all(Array.from({ length: this.size }, lane));
      return results;
    } finally {
      signal?.removeEventListener("abort", end);
    }
  }
}

/** Resolves when a signal is aborted. */
const ended = (signal) => (signal.aborted ? Promise.resolve() : new Promise((resolve) => signal.addEventListener("abort", () => resolve(undefined), { once: true })));

/** Number of hits of a search by default, as the engine has it. */
const LIMIT = 10;

/**
 * Searches, and reranks the hits. A reranker that fails leaves them as they are, and the response says so.
 * @param {(limit: number) => Promise<any>} search
 * @param {string} query
 * @param {any} options those of `search.rerank`, with the knowledge base's reranker
 * @param {number} [limit]
 * @param {AbortSignal} [signal]
 */
export async function rerankedSearch(search, query, options, limit = LIMIT, signal) {
  const { top, deadlineMs, onHits, reranker } = { ...SEARCH_RERANK_DEFAULTS, ...options };
  if (!reranker) throw invalid("search.rerank.reranker", "made by Reranker.onnx(…), here or as the option `reranker` of the knowledge base", "undefined");
  const response = await search(Math.max(limit, top));
  onHits?.({ ...response, hits: response.hits.slice(0, limit) });
  const { hits } = response;
  const started = performance.now();
  let ratings = [];
  let failure;
  try {
    ratings = await reranker.rate(query, hits.slice(0, top), { signal, deadlineMs });
  } catch (error) {
    if (signal?.aborted) throw error;
    const { code, message } = toPlain(error);
    failure = { code, message };
  }
  const rows = hits.map((hit, at) => ({ hit, rating: ratings[at] ?? null, from: at + 1 }));
  const rated = rows.filter(({ rating }) => rating !== null);
  const ordered = [...rated.sort((a, b) => b.rating - a.rating), ...rows.filter(({ rating }) => rating === null)].slice(0, limit);
  const reranked = {
    ratings: ordered.map(({ rating }) => rating),
    from: ordered.map(({ from }) => from),
    rated: rated.length,
    tookMs: performance.now() - started,
    ...(failure && { failure }),
  };
  return { ...response, hits: ordered.map(({ hit }) => hit), reranked };
}
