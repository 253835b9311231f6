// Records the exchanges with an LLM, and searches with their results, as one plain JSON value: for bug reports, and for
// tests without a model.

import { invalid } from "../error.js";
import { httpErrorOf } from "../llm.js";

const VERSION = 1;

/**
 * Wraps an LLM and records everything that passes through, including streams. `bundle()` returns the recording so
 * far; a reply that was not read to its end is marked `cut: true`. `watch(run, kb)` also records a run's searches, and the library's fingerprint.
 */
export function recorder(llm) {
  if (typeof llm !== "function") throw invalid("llm", "a function", typeof llm);
  const exchanges = [];
  const runs = [];
  const record = async (request, context) => {
    /** @type {{ step: string, request: any, reply: any }} */
    const exchange = { step: context.step, request: copy(request), reply: { cut: true } };
    exchanges.push(exchange);
    try {
      return recorded(await llm(request, context), exchange);
    } catch (thrown) {
      const { status, retryAfter } = httpErrorOf(thrown) ?? {};
      exchange.reply = { error: String(thrown?.message ?? thrown), status, retryAfter };
      throw thrown;
    }
  };
  const watch = (run, kb) => watched(run, kb, (seen) => runs.push(seen));
  return Object.assign(record, { watch, bundle: () => copy({ version: VERSION, exchanges, runs }) });
}

/**
 * Returns an LLM that replays recorded replies for equal requests, in order. Runs that
 * are watched are compared in order with those recorded: `differences()` lists the differences, causes first.
 */
export function replay(bundle) {
  checkBundle("bundle", bundle);
  const replies = inTurn(bundle.exchanges);
  const unknown = [];
  const reply = async (request, { step }) => {
    const exchange = replies.next({ step, request });
    if (exchange) return played(exchange.reply);
    unknown.push({ what: "request", step });
    throw new Error(missing(bundle.exchanges, step));
  };
  const known = [...(bundle.runs ?? [])];
  const found = [];
  const watch = (run, kb) => watched(run, kb, (seen) => found.push(...compared(known.shift(), seen)));
  return Object.assign(reply, { watch, differences: () => copy([...found, ...unknown]) });
}

/**
 * Compares two bundles: the searches of runs and their results, requests that only one of them contains, and
 * replies that differ. Runs are compared in order.
 */
export function diff(before, now) {
  checkBundle("before", before);
  checkBundle("now", now);
  const [old, fresh] = [before.runs ?? [], now.runs ?? []];
  const none = { index: undefined, searches: [] };
  const differences = fresh.flatMap((run, at) => compared(old[at], run));
  for (const run of old.slice(fresh.length)) differences.push(...compared(run, { ...none, index: run.index }));
  const recorded = inTurn(before.exchanges);
  for (const exchange of now.exchanges) {
    const same = recorded.take(exchange);
    if (!same) differences.push({ what: "request", step: exchange.step, recorded: null, now: exchange.request });
    else if (keyed(same.reply) !== keyed(exchange.reply)) differences.push({ what: "reply", step: exchange.step, recorded: same.reply, now: exchange.reply });
  }
  for (const { step, request } of recorded.left()) differences.push({ what: "request", step, recorded: request, now: null });
  return copy(differences);
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** Checks a bundle, which may come from any file. */
function checkBundle(name, bundle) {
  const expected = `what recorder(llm).bundle() gave, of version ${VERSION}`;
  if (bundle?.version !== VERSION) throw invalid(name, expected, isObject(bundle) ? `of version ${bundle.version}` : typeof bundle);
  const { exchanges, runs = [] } = bundle;
  const isExchange = (one) => isObject(one) && typeof one.step === "string" && isObject(one.request) && isObject(one.reply);
  const isSearch = (one) => isObject(one) && typeof one.step === "string" && isObject(one.arguments);
  const isRun = (one) => isObject(one) && Array.isArray(one.searches) && one.searches.every(isSearch);
  if (!Array.isArray(exchanges) || !exchanges.every(isExchange)) throw invalid(`${name}.exchanges`, expected, "something else");
  if (!Array.isArray(runs) || !runs.every(isRun)) throw invalid(`${name}.runs`, expected, "something else");
}

function missing(exchanges, step) {
  const count = exchanges.filter((one) => one.step === step).length;
  return `The bundle holds no reply to this request of step \`${step}\`, only to ${count} others of it: ` +
    "the question, the documents or the prompts have changed since it was recorded. `differences()` tells which, if the run is watched";
}

/** Returns a run's searches, with the fingerprint of the library. */
async function watched(run, kb, tell) {
  if (typeof kb?.fingerprint !== "function") throw invalid("kb", "the KnowledgeBase that the run asks", typeof kb);
  const [result, index] = await Promise.all([run.result, kb.fingerprint()]);
  const searches = result.toolCalls
    .filter(({ tool }) => tool !== "llm" && tool !== "function")
    .map(({ step, tool, arguments: asked, result: found }) => ({ step, ...(tool !== "search" && { tool }), arguments: asked, chunks: found?.chunks ?? null }));
  tell(copy({ index, searches }));
  return result;
}

/** Compares a recorded run with another. Concurrent searches may end in any order. */
function compared(before, now) {
  if (!before) return [{ what: "run" }];
  const differences = before.index === now.index ? [] : [{ what: "index", recorded: before.index, now: now.index }];
  const recorded = inTurn(before.searches);
  const differ = ({ step, arguments: asked }, recorded, now) => differences.push({ what: "search", step, arguments: asked, recorded, now });
  for (const search of now.searches) {
    const same = recorded.take(search);
    if (JSON.stringify(same?.chunks) !== JSON.stringify(search.chunks)) differ(search, same?.chunks ?? null, search.chunks);
  }
  for (const search of recorded.left()) differ(search, search.chunks, null);
  return differences;
}

const copy = (value) => JSON.parse(JSON.stringify(value));

/** Indexes records by request. Equal ones are returned in order: `next` restarts after the last, `take` returns each once. */
function inTurn(records) {
  const byKey = new Map();
  for (const record of records) byKey.set(keyOf(record), [...(byKey.get(keyOf(record)) ?? []), record]);
  const take = (asked) => byKey.get(keyOf(asked))?.shift();
  const next = (asked) => {
    const record = take(asked);
    if (record) byKey.get(keyOf(asked)).push(record);
    return record;
  };
  return { take, next, left: () => [...byKey.values()].flat() };
}

/** The order of an object's fields is irrelevant, as is the fence's number, which is random in every run. */
const keyOf = ({ step, tool, request, arguments: asked }) => `${step}\n${tool ?? ""}\n${keyed(request ?? asked)}`;
const keyed = (value) => JSON.stringify(value, sorted).replaceAll(/=== passages [0-9a-f]+ ===/g, "=== passages ===");
const sorted = (_, value) =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;

function recorded(reply, exchange) {
  if (typeof reply === "string") {
    exchange.reply = { text: reply };
    return reply;
  }
  if (typeof reply?.status === "number" && typeof reply?.arrayBuffer === "function") return recordedResponse(reply, exchange);
  if (typeof (reply?.[Symbol.asyncIterator] ?? reply?.[Symbol.iterator] ?? reply?.getReader) === "function") {
    exchange.reply = { parts: [], cut: true };
    return passing(reply, exchange.reply, (part) => exchange.reply.parts.push(part instanceof Uint8Array ? { bytes: [...part] } : part));
  }
  exchange.reply = { value: copy(reply ?? null) };
  return reply;
}

function recordedResponse(response, exchange) {
  const headers = Object.fromEntries(["content-type", "retry-after"].flatMap((name) => {
    const value = response.headers?.get?.(name);
    return value ? [[name, value]] : [];
  }));
  /** @type {{ status: number, headers: Record<string, string>, body: string, cut?: boolean }} */
  const kept = (exchange.reply = { status: response.status, headers, body: "", cut: true });
  const init = { status: response.status, headers };
  if (!response.body) {
    delete kept.cut;
    return new Response(null, init);
  }
  const decoder = new TextDecoder();
  const body = passing(response.body, kept, (bytes) => (kept.body += decoder.decode(bytes, { stream: true })));
  return new Response(streamOf(body), init);
}

/** Not every browser can create streams from an iterable. */
function streamOf(parts) {
  const pull = async (stream) => {
    const { done, value } = await parts.next();
    if (done) stream.close();
    else stream.enqueue(value);
  };
  return new ReadableStream({ pull, cancel: () => parts.return() });
}

/** Passes on the parts of a reply and reports each; `cut` is removed after the last. */
async function* passing(source, kept, tell) {
  for await (const part of source.getReader ? chunks(source) : source) {
    tell(part);
    yield part;
  }
  delete kept.cut;
}

/** Not every browser's streams are iterable. */
async function* chunks(stream) {
  const reader = stream.getReader();
  let ended = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      ended = done;
      if (done) return;
      yield value;
    }
  } finally {
    if (!ended) reader.cancel().catch(() => {});
  }
}

/** An error with the properties that are read from HTTP errors. */
function failure({ error, status, retryAfter }) {
  if (status === undefined) return new Error(error);
  return Object.assign(new Error(error), { status, headers: { "retry-after": retryAfter } });
}

function played(reply) {
  if ("error" in reply) throw failure(reply);
  if ("text" in reply) return reply.text;
  if ("value" in reply) return reply.value;
  if ("parts" in reply) return parts(reply, reply.parts.map((part) => (part?.bytes ? Uint8Array.from(part.bytes) : part)));
  if ("status" in reply) return new Response(bodyOf(reply), reply);
  throw ended();
}

function bodyOf(reply) {
  if ([204, 205, 304].includes(reply.status)) return null;
  if (!reply.cut) return reply.body;
  return streamOf(parts(reply, [new TextEncoder().encode(reply.body)]));
}

/** Replays a recorded stream, breaking off where an incomplete recording ends. */
async function* parts(reply, kept) {
  yield* kept;
  if (reply.cut) throw ended();
}

const ended = () => new Error("The recording ends before the reply does: its run was stopped, or its stream broke");
