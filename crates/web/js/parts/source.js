// The parts of a library on their host, behind what this browser has stored of them. Ranges of one part that are close together become
// one request; what is already under way is not asked for again.
//
// Nothing here is trusted: the reader checks every block by its hash, and asks again with `isFresh`.

import { aborted } from "../error.js";
import { PART } from "./errors.js";
import { request } from "./request.js";

/** Bytes between two ranges that are fetched along, because a request of its own costs more. */
const GAP = 2048;
/** Requests at once, as many as browsers make to a host of HTTP/1.1. */
const AT_ONCE = 6;
/** Bytes of whole parts in memory, where the host ignores ranges. */
const WHOLES = 8 * 2 ** 20;

/**
 * A range that a reader waits for.
 * @typedef {{ start: number, end: number, signal?: AbortSignal, resolve: (bytes: Uint8Array) => void, reject: (error: unknown) => void }} Wanted
 */

/** One request, and who waits for it. `range` is missing of a whole part. */
class Job {
  /** @type {Set<Wanted>} */
  waiting = new Set();
  ending = new AbortController();

  /** @param {string} part @param {[number, number] | undefined} range */
  constructor(part, range) {
    this.part = part;
    this.range = range;
  }

  has({ start, end }) {
    return !this.range || (this.range[0] <= start && end <= this.range[1]);
  }

  /** Adds one who waits. The request is aborted when nobody is left. @param {Wanted} wanted */
  add(wanted) {
    this.waiting.add(wanted);
    wanted.signal?.addEventListener("abort", () => {
      if (!this.waiting.delete(wanted)) return;
      wanted.reject(aborted());
      if (this.waiting.size === 0) this.ending.abort();
    }, { once: true });
  }

  settle(how) {
    for (const wanted of [...this.waiting]) {
      this.waiting.delete(wanted);
      how(wanted);
    }
  }
}

export class PartSource {
  #addressOf;
  #timeout;
  #cache;
  /** @type {any} */
  #kept = null;
  /** Whether the host honours ranges; unknown before the first one. @type {boolean | undefined} */
  #isRanged;
  /** @type {Map<string, Uint8Array>} */
  #wholes = new Map(); // the last used last
  #wholeBytes = 0;
  /** @type {Map<string, Wanted[]>} */
  #wanted = new Map(); // ranges by part that are about to be requested
  #looking = 0; // look-ups in the browser's storage
  #isDue = false;
  /** @type {Job[]} */
  #queue = [];
  /** @type {Set<Job>} */
  #jobs = new Set(); // queued and running
  /** @type {Map<string, Promise<Uint8Array>>} */
  #refreshing = new Map(); // parts that are fetched past all caches
  #running = 0;
  /** What was requested since the library was attached. */
  counts = { requests: 0, bytes: 0, stored: 0 };

  /**
   * @param {{ addressOf: (part: string) => string, timeout?: number, cache?: any }} options `addressOf` returns the address of a part;
   *   `cache` is one of `openCache`
   */
  constructor({ addressOf, timeout, cache = null }) {
    this.#addressOf = addressOf;
    this.#timeout = timeout;
    this.#cache = cache;
  }

  /** Reads parts from `kept`, where they are there, before all else. */
  useKept(kept) {
    this.#kept = kept;
  }

  /**
   * Returns the bytes `[start, end)` of a part; fewer if it ends before. `isFresh` asks the host for all of the part past all caches.
   * @param {string} part @param {number} start @param {number} end @param {{ isFresh?: boolean, signal?: AbortSignal }} [how]
   * @returns {Promise<Uint8Array>}
   */
  async read(part, start, end, { isFresh = false, signal } = {}) {
    if (signal?.aborted) throw aborted();
    if (isFresh) return (await this.#fresh(part)).subarray(start, end);
    const whole = this.#whole(part);
    if (whole) return whole.subarray(start, end);
    const stored = await this.#stored(part, start, end);
    if (signal?.aborted) throw aborted();
    if (stored) return stored;
    return new Promise((resolve, reject) => this.#want(part, { start, end, signal, resolve, reject }));
  }

  /** Fills `bytes` with those of a part from `start` on, and returns true, if they can be had without waiting. @param {string} part @param {number} start @param {Uint8Array} bytes */
  atHand(part, start, bytes) {
    const isFilled = this.#kept?.readNow(part, start, bytes) ?? false;
    if (isFilled) this.counts.stored++;
    return isFilled;
  }

  /** Returns a part as it is on the host: for keeping it. @param {string} part @param {{ isFresh?: boolean, signal?: AbortSignal }} [how] */
  async whole(part, { isFresh, signal } = {}) {
    const held = isFresh ? null : this.#whole(part);
    return held ?? (await this.#requested({ part, isFresh, signal })).bytes;
  }

  /** Fetches a part past all caches, once for all who find it damaged, and replaces what is stored of it. */
  #fresh(part) {
    const under = this.#refreshing.get(part);
    if (under) return under;
    const refreshing = this.#replaced(part).finally(() => this.#refreshing.delete(part));
    this.#refreshing.set(part, refreshing);
    return refreshing;
  }

  async #replaced(part) {
    this.#wholeBytes -= this.#wholes.get(part)?.length ?? 0;
    this.#wholes.delete(part);
    await Promise.all([this.#cache?.remove(part), this.#kept?.remove(part)]);
    const { bytes } = await this.#requested({ part, isFresh: true });
    this.#hold(part, bytes);
    return bytes;
  }

  /** @param {{ part: string, range?: [number, number], isFresh?: boolean, signal?: AbortSignal }} asked */
  async #requested({ part, range, isFresh, signal }) {
    const file = { ...PART, url: this.#addressOf(part) };
    this.counts.requests++;
    const answer = await request({ file, range, isFresh, timeout: this.#timeout, signal });
    this.counts.bytes += answer.bytes.length;
    return answer;
  }

  /** Returns what this browser has stored of a range, or null. */
  async #stored(part, start, end) {
    if (!this.#kept && !this.#cache) return null;
    this.#looking++;
    try {
      const bytes = (await this.#kept?.read(part, start, end)) ?? (await this.#cache?.read(part, [start, end])) ?? null;
      if (bytes) this.counts.stored++;
      return bytes;
    } finally {
      this.#looking--;
      this.#schedule();
    }
  }

  #whole(part) {
    const whole = this.#wholes.get(part);
    if (!whole) return null;
    this.#wholes.delete(part);
    this.#wholes.set(part, whole);
    return whole;
  }

  /** Keeps a whole part in memory and in the cache. */
  #hold(part, bytes) {
    this.#cache?.write(part, undefined, bytes);
    this.#wholeBytes += bytes.length - (this.#wholes.get(part)?.length ?? 0);
    this.#wholes.delete(part);
    this.#wholes.set(part, bytes);
    for (const [oldest, { length }] of this.#wholes) {
      if (this.#wholeBytes <= WHOLES || oldest === part) break;
      this.#wholes.delete(oldest);
      this.#wholeBytes -= length;
    }
  }

  /** @param {string} part @param {Wanted} wanted */
  #want(part, wanted) {
    const under = [...this.#jobs].find((job) => job.part === part && job.has(wanted) && !job.ending.signal.aborted);
    if (under) return under.add(wanted);
    if (!this.#wanted.has(part)) this.#wanted.set(part, []);
    this.#wanted.get(part)?.push(wanted);
    this.#schedule();
  }

  /** Requests what is wanted as soon as all that is asked for now has been looked up. */
  #schedule() {
    if (this.#isDue || this.#looking > 0 || this.#wanted.size === 0) return;
    this.#isDue = true;
    // After the callers that go on in this turn, which may want more of the same parts.
    setTimeout(() => {
      this.#isDue = false;
      if (this.#looking === 0) this.#plan();
    });
  }

  #plan() {
    for (const [part, all] of this.#wanted) {
      // The first answer of a host tells whether several ranges of a part can be asked for: otherwise each would bring all of it.
      if (this.#isRanged === undefined && [...this.#jobs].some((job) => job.part === part)) continue;
      this.#wanted.delete(part);
      const wanted = all.filter(({ signal, reject }) => {
        if (signal?.aborted) reject(aborted());
        return !signal?.aborted;
      });
      const groups = this.#isRanged === false ? [{ range: undefined, wanted }] : grouped(wanted);
      const [first, ...rest] = groups;
      const now = this.#isRanged === undefined && first ? [first] : groups;
      if (now !== groups && rest.length > 0) this.#wanted.set(part, rest.flatMap(({ wanted }) => wanted));
      for (const { range, wanted } of now) {
        const job = new Job(part, range);
        wanted.forEach((one) => job.add(one));
        this.#jobs.add(job);
        this.#queue.push(job);
      }
    }
    this.#next();
  }

  #next() {
    while (this.#running < AT_ONCE && this.#queue.length > 0) {
      const job = /** @type {Job} */ (this.#queue.shift());
      this.#running++;
      void this.#run(job).finally(() => {
        this.#running--;
        this.#jobs.delete(job);
        this.#plan();
      });
    }
  }

  /** @param {Job} job */
  async #run(job) {
    const { part, range, ending } = job;
    try {
      if (ending.signal.aborted) return;
      const { bytes, isWhole } = await this.#answer(part, range, ending.signal);
      if (range) this.#isRanged = !isWhole;
      if (isWhole) this.#hold(part, bytes);
      const offset = isWhole || !range ? 0 : range[0];
      job.settle(({ start, end, resolve }) => {
        const own = bytes.subarray(start - offset, end - offset);
        if (!isWhole) this.#cache?.write(part, [start, end], own);
        resolve(own);
      });
      if (isWhole) this.#satisfy(part, bytes);
    } catch (thrown) {
      job.settle(({ reject }) => reject(thrown));
    }
  }

  /** @param {string} part @param {[number, number] | undefined} range @param {AbortSignal} signal */
  async #answer(part, range, signal) {
    try {
      return await this.#requested({ part, range, signal });
    } catch (thrown) {
      // A host that mixes up ranges may still serve whole parts.
      if (thrown.isOtherRange) return this.#requested({ part, signal });
      throw thrown;
    }
  }

  /** Gives a part that came as a whole to those who were about to ask for ranges of it. */
  #satisfy(part, bytes) {
    for (const { start, end, resolve } of this.#wanted.get(part) ?? []) resolve(bytes.subarray(start, end));
    this.#wanted.delete(part);
  }

  async close() {
    for (const job of this.#jobs) job.ending.abort();
    await Promise.all([this.#cache?.close(), this.#kept?.close()]);
  }
}

/**
 * Joins ranges that are close together.
 * @param {Wanted[]} wanted
 */
function grouped(wanted) {
  /** @type {{ range: [number, number], wanted: Wanted[] }[]} */
  const groups = [];
  for (const one of [...wanted].sort((a, b) => a.start - b.start)) {
    const last = groups.at(-1);
    if (last && one.start <= last.range[1] + GAP) {
      last.range[1] = Math.max(last.range[1], one.end);
      last.wanted.push(one);
    } else groups.push({ range: [one.start, one.end], wanted: [one] });
  }
  return groups;
}
