// What an LLM was asked and said, as one plain JSON value: for bug reports, and for tests that need no model.

import { invalid } from "../error.js";
import { httpErrorOf } from "../llm.js";

const VERSION = 1;

/**
 * The same LLM, with everything written down while it passes through: streams still stream. `bundle()` is what there is so
 * far; a reply that was not read to its end says `cut: true`.
 */
export function recorder(llm) {
  if (typeof llm !== "function") throw invalid("llm", "a function", typeof llm);
  const exchanges = [];
  const record = async (request, context) => {
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
  return Object.assign(record, { bundle: () => copy({ version: VERSION, exchanges }) });
}

/** An LLM that says what was recorded, wherever a step asks the same again. Equal requests are answered in turn. */
export function replay(bundle) {
  if (bundle?.version !== VERSION || !Array.isArray(bundle.exchanges)) {
    throw invalid("bundle", `what recorder(llm).bundle() gave, of version ${VERSION}`, `of version ${bundle?.version}`);
  }
  const replies = new Map();
  for (const exchange of bundle.exchanges) replies.set(keyOf(exchange), [...(replies.get(keyOf(exchange)) ?? []), exchange.reply]);
  const asked = new Map();
  return async (request, { step }) => {
    const key = keyOf({ step, request });
    const known = replies.get(key);
    if (!known) throw new Error(missing(bundle.exchanges, step));
    const times = asked.get(key) ?? 0;
    asked.set(key, times + 1);
    return played(known[times % known.length]);
  };
}

function missing(exchanges, step) {
  const count = exchanges.filter((one) => one.step === step).length;
  return `The bundle holds no reply to this request of step \`${step}\`, only to ${count} others of it: ` +
    "the question, the documents or the prompts have changed since it was recorded";
}

const copy = (value) => JSON.parse(JSON.stringify(value));

/** The order of an object's fields means nothing. */
const keyOf = ({ step, request }) => `${step}\n${JSON.stringify(request, sorted)}`;
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

/** Not every browser's streams can be made from an iterable. */
function streamOf(parts) {
  const pull = async (stream) => {
    const { done, value } = await parts.next();
    if (done) stream.close();
    else stream.enqueue(value);
  };
  return new ReadableStream({ pull, cancel: () => parts.return() });
}

/** The parts of a reply on their way, each told of; `cut` goes when the last has passed. */
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

/** An error with what is read of one that was thrown for an HTTP error. */
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

/** What was kept of a stream. One that was cut is no whole reply: it breaks where the recording ends. */
async function* parts(reply, kept) {
  yield* kept;
  if (reply.cut) throw ended();
}

const ended = () => new Error("The recording ends before the reply does: its run was stopped, or its stream broke");
