// Calls the user's LLM function and passes on the result, part by part. Nothing is parsed here: the engine
// parses every form, in one place.

import { turns, unlessAborted } from "./wait.js";

/**
 * Ends with the signal, whatever the function or its reply is doing.
 *
 * @param llm `(request, { signal, step }) => Response | completion | string | iterable or stream of deltas`, or a promise
 * @param emit called with `{status, retryAfter}`, `{bytes}`, `{text}` or `{value}`
 */
export async function llmParts(llm, step, request, { signal, emit }) {
  let begun = false;
  const tell = (part) => {
    begun = true;
    emit(part);
  };
  try {
    await handOn(await unlessAborted(signal, llm(request, { signal, step }), letGo), signal, tell);
  } catch (thrown) {
    const http = begun ? null : httpErrorOf(thrown);
    if (!http) throw thrown;
    const { message, ...head } = http;
    emit(head);
    emit({ bytes: new TextEncoder().encode(message) });
  }
}

/**
 * Returns the HTTP error in an exception, as SDKs and code that checks `response.ok` throw it, so that
 * a busy server is retried. Null for exceptions with another reason.
 */
export function httpErrorOf(thrown) {
  const statuses = [thrown?.status, thrown?.response?.status];
  const status = statuses.find((one) => Number.isInteger(one) && one >= 300 && one <= 599);
  if (status === undefined) return null;
  return { status, retryAfter: retryAfter(thrown.headers) ?? retryAfter(thrown.response?.headers), message: String(thrown.message ?? "") };
}

async function handOn(reply, signal, emit) {
  const source = typeof reply === "string" ? null : sourceOf(reply);
  if (isResponse(reply)) {
    emit({ status: reply.status, retryAfter: retryAfter(reply.headers) });
    if (source) await read(source, signal, (bytes) => inPieces({ bytes }, signal, emit));
    else await inPieces({ bytes: new Uint8Array(await unlessAborted(signal, reply.arrayBuffer())) }, signal, emit);
  } else if (source) {
    await read(source, signal, (delta) => inPieces(partOf(delta), signal, emit));
  } else if (typeof reply === "string" || (typeof reply === "object" && reply !== null)) {
    await inPieces(partOf(reply), signal, emit);
  } else {
    throw new TypeError(
      `it returned ${reply === null ? "null" : typeof reply}; return a Response, a completion, a string or an async iterable of deltas`,
    );
  }
}

/** Also detects responses of another realm, or of a polyfilled fetch. */
const isResponse = (reply) => typeof reply?.status === "number" && typeof reply?.arrayBuffer === "function";

/** Returns the parts of a reply as `{ next, stop }`, or null for a reply in one piece. Not every browser's streams are iterable. */
function sourceOf(reply) {
  const stream = isResponse(reply) ? reply.body : reply;
  if (typeof stream?.getReader === "function") {
    const reader = stream.getReader();
    return { next: () => reader.read(), stop: () => reader.cancel() };
  }
  const iterate = stream?.[Symbol.asyncIterator] ?? stream?.[Symbol.iterator];
  if (typeof iterate !== "function") return null;
  const iterator = iterate.call(stream);
  return { next: () => iterator.next(), stop: () => iterator.return?.() };
}

/** Passes on all parts of a source. A source that is abandoned is cancelled, without waiting for it. */
async function read(source, signal, take) {
  const turn = turns();
  let ended = false;
  try {
    for (;;) {
      const { done, value } = await unlessAborted(signal, source.next());
      ended = done;
      if (done) return;
      await take(value);
      await turn();
    }
  } finally {
    if (!ended) void quietly(source.stop);
  }
}

/** Maximum letters or bytes passed on at once: between two pieces, the engine can stop reading, and aborts are handled. */
const PIECE = 1 << 16;

/** Passes on a part, a long one in pieces. */
async function inPieces(part, signal, emit) {
  const [name, whole] = Object.entries(part)[0];
  if (name === "value" || whole.length <= PIECE) return emit(part);
  for (let at = 0; at < whole.length; ) {
    let end = Math.min(at + PIECE, whole.length);
    // Does not split a surrogate pair.
    if (name === "text" && end < whole.length && /[\uD800-\uDBFF]/.test(whole[end - 1])) end += 1;
    emit({ [name]: whole.slice(at, end) });
    at = end;
    await unlessAborted(signal, new Promise((resolve) => setTimeout(resolve)));
  }
}

/** Discards a reply that arrived after it was no longer needed. */
const letGo = (reply) => quietly(() => sourceOf(reply)?.stop());

const quietly = (work) => Promise.resolve().then(work).catch(() => {});

/** Copies buffers, because the function may reuse them before the engine has read them. */
function partOf(delta) {
  // Chunks mapped to their `delta.content` are null without text. They count, so that a stream of nothing else ends.
  if (delta === undefined || delta === null) return { text: "" };
  if (typeof delta === "string") return { text: delta };
  if (ArrayBuffer.isView(delta)) return { bytes: new Uint8Array(delta.buffer, delta.byteOffset, delta.byteLength).slice() };
  const json = JSON.stringify(delta);
  return { value: json === undefined ? null : JSON.parse(json) };
}

/** Returns the seconds after which the server wants to be asked again, from a number or a date. */
function retryAfter(headers) {
  const told = typeof headers?.get === "function" ? headers.get("retry-after") : headers?.["retry-after"];
  if (told === undefined || told === null || told === "") return undefined;
  const seconds = Number.isFinite(Number(told)) ? Number(told) : (Date.parse(told) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
