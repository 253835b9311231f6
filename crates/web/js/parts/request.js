// One request of a file of a library, or of a range of it, from a host that may do anything: ignore ranges, redirect, send a page
// in place of the file, cut it, compress it twice, refuse for a while, or say nothing.

import { fromDisk, STALLED, Watch } from "../download.js";
import { aborted, VademecumError } from "../error.js";
import { hostFailed, missing, offline, redirected } from "./errors.js";
import { gunzipped, isGzip } from "./gunzip.js";

/** Requests for one file before it is given up. */
const ATTEMPTS = 4;
/** Milliseconds before the second request; twice as many before each further one. */
const PAUSE = 250;
/** The longest pause that a host may ask for, in milliseconds. */
const PATIENCE = 20_000;
/** Statuses after which the same request may succeed. */
const PASSING = [408, 425, 429, 500, 502, 503, 504];
/** The longest file. Parts have about 128 KB. */
const LONGEST = 16 * 2 ** 20;

/**
 * What is asked for: a file and perhaps a range `[start, end)` of it. `isFresh` goes past all caches.
 * @typedef {{ file: import("./errors.js").Named, range?: [number, number], isFresh?: boolean, mode?: RequestCache, timeout?: number, signal?: AbortSignal }} Asked
 */

/**
 * Fetches a file or a range of it. `isWhole` tells that the host sent all of the file; a range is then not cut out of it.
 * @param {Asked} asked
 * @returns {Promise<{ bytes: Uint8Array, isWhole: boolean }>}
 */
export async function request(asked) {
  const { file, signal } = asked;
  if (file.url.startsWith("file:") && globalThis.process?.versions?.node) {
    // In Node, whose fetch refuses files.
    return { bytes: await fromDisk(file.url).catch((thrown) => Promise.reject(missing(file, thrown.message))), isWhole: true };
  }
  for (let attempt = 1; ; attempt++) {
    try {
      return await requestOnce(asked);
    } catch (thrown) {
      if (signal?.aborted) throw aborted();
      if (thrown instanceof VademecumError) throw thrown;
      const isLast = attempt === ATTEMPTS || globalThis.navigator?.onLine === false;
      const pause = thrown.pause ?? PAUSE * 2 ** (attempt - 1) * (0.75 + Math.random() / 2);
      if (isLast || pause > PATIENCE) {
        if (thrown.pause > PATIENCE) throw hostFailed(file, `${thrown.message}, and asks to wait ${Math.ceil(thrown.pause / 1000)} seconds`, thrown);
        throw thrown.answered ? hostFailed(file, thrown.message, thrown) : offline(file, thrown);
      }
      await sleep(pause, signal);
    }
  }
}

/** An error of a host that answered; the request is repeated after it. */
const passing = (message, more) => Object.assign(new Error(message), { answered: true, ...more });

/** @param {Asked} asked */
async function requestOnce({ file, range, isFresh = false, mode = "default", timeout = STALLED, signal }) {
  const watch = new Watch(timeout, signal);
  try {
    const response = await fetch(file.url, {
      headers: range ? { range: `bytes=${range[0]}-${range[1] - 1}` } : {},
      signal: watch.signal,
      redirect: "manual",
      cache: isFresh ? "reload" : mode,
    });
    refuse(file, response);
    return await received(file, response, range, watch);
  } catch (thrown) {
    if (signal?.aborted || thrown instanceof VademecumError) throw thrown;
    const reason = watch.reason(thrown);
    throw reason.stalled ? passing(reason.message, { cause: thrown }) : reason;
  } finally {
    watch.close();
  }
}

/** Throws for a response that is not the file. */
function refuse(file, response) {
  const { status, headers, type } = response;
  // Not followed: browsers do not tell a page where a redirect leads.
  if (type === "opaqueredirect" || (status >= 300 && status < 400)) throw ended(response, redirected(file));
  if (PASSING.includes(status)) throw ended(response, passing(`HTTP ${status}`, { pause: pauseOf(headers.get("retry-after")) }));
  // A range beyond the end: the file is not the one that the library was published with.
  if (status === 416) return;
  if (!response.ok) throw ended(response, missing(file, `HTTP ${status}`));
  if (/text\/html/i.test(headers.get("content-type") ?? "")) throw ended(response, missing(file, `HTTP ${status} with a web page, as hosts send for files that they do not have`));
}

/** Returns the error, and lets go of the connection. */
function ended(response, error) {
  response.body?.cancel().catch(() => {});
  return error;
}

/** Returns the milliseconds of a header `Retry-After`, which has seconds or a date. */
function pauseOf(header) {
  if (header === null) return undefined;
  const seconds = Number(header);
  const pause = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(pause) ? undefined : Math.max(pause, 0);
}

/** Reads the body of a response, and checks that it is what was asked for. */
async function received(file, response, range, watch) {
  if (response.status === 416) return { bytes: ended(response, new Uint8Array(0)), isWhole: false };
  const pieces = [];
  let length = 0;
  await watch.read(response, (piece) => {
    length += piece.length;
    if (length > LONGEST) throw missing(file, `what the host sends is longer than ${LONGEST / 2 ** 20} MB, which no file of a library is`);
    pieces.push(piece);
  });
  const bytes = joined(pieces, length);
  if (response.status === 206) return { bytes: rangeOf(file, bytes, range, response.headers.get("content-range")), isWhole: false };
  const { headers } = response;
  const told = headers.get("content-encoding") ? null : headers.get("content-length");
  if (told !== null && Number(told) !== length) throw passing(`${length} of ${told} bytes came`);
  if (isPage(bytes)) throw missing(file, "the host sent a web page in its place");
  return { bytes: isGzip(bytes) ? await gunzipped(bytes, LONGEST) : bytes, isWhole: true };
}

/** Returns the bytes of a range, checked against what the host says of them. Another origin may hide that. */
function rangeOf(file, bytes, range, told) {
  if (!range) throw hostFailed(file, "the host sent a range, and none was asked for");
  const [start, end] = range;
  const [, from, to] = /^bytes (\d+)-(\d+)\//.exec(told ?? "") ?? [];
  if (from !== undefined && (Number(from) !== start || Number(to) + 1 > end)) {
    const error = hostFailed(file, `the host sent the range ${from}-${to} in place of ${start}-${end - 1}`);
    throw Object.assign(error, { isOtherRange: true });
  }
  const expected = to === undefined ? end - start : Number(to) + 1 - start;
  if (bytes.length !== expected) throw passing(`${bytes.length} of ${expected} bytes came`);
  return bytes;
}

const isPage = (bytes) => /^\s*<(!doctype html|html|head)/i.test(new TextDecoder("latin1").decode(bytes.subarray(0, 200)));

function joined(pieces, length) {
  if (pieces.length === 1) return pieces[0];
  const all = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

/** @returns {Promise<void>} */
const sleep = (milliseconds, signal) =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(aborted());
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", stop, { once: true });
  });
