// An LLM that returns all kinds of bad replies in turn.

import { invalid } from "../error.js";
import { factsOf, fill, heuristic } from "./heuristic.js";
import { checked, shown } from "../options.js";
import { shapeOf } from "./request.js";

/** The maximum of 32 bits: adding a second call's overflows the sum. */
const MOST_TOKENS = 2 ** 32 - 1;

/** Each returns any value that an LLM function may return, or throws; `good` is a valid reply. */
const KINDS = {
  fencedJson: ({ good }) => `\`\`\`json\n${good}\n\`\`\``,
  prose: ({ good }) => `Certainly! Here is what you asked for:\n\n${good}\n\nDo let me know {if} there is [more].`,
  wrongKeys: ({ json }) => JSON.stringify(renamed(json)),
  wrongTypes: ({ json }) => JSON.stringify(mistyped(json)),
  nestedQuotes: ({ facts }) => `{"question": "He asked "${facts.question}" and \\"left\\"", "answer": "say "yes""}`,
  truncatedJson: ({ good }) => good.slice(0, Math.ceil(good.length / 2)),
  empty: () => "",
  megabyte: () => "word ".repeat(200_000),
  brackets: () => "[".repeat(1_000_000),
  citations: () => "[1]".repeat(100_000),
  sentences: () => "a. ".repeat(100_000),
  unknownCollections: ({ json }) => JSON.stringify({ ...json, collections: ["nowhere", "../secrets", ""] }),
  sameQuery: ({ shape, facts }) => JSON.stringify({ sufficient: false, query: "the same query", ...fill(shape, { ...facts, question: "the same query" }) }),
  fakeCitations: () => "It is so [99], as all know [0][1][a-document-that-is-not-there].",
  cutStream: () => events(["It is ", "written"], (stream) => stream.error(new TypeError("network error"))),
  endlessStream: () => events(["On and on. ".repeat(400)], (stream, again) => again()),
  thrown: () => {
    throw new Error("out of order");
  },
  rejected: () => Promise.reject(new TypeError("Failed to fetch")),
  wrongContentType: ({ good }) => new Response(JSON.stringify({ choices: [{ message: { content: good } }] }), { headers: { "content-type": "text/html" } }),
  usage: ({ good }) => ({ choices: [{ message: { content: good } }], usage: { prompt_tokens: MOST_TOKENS, completion_tokens: MOST_TOKENS } }),
  htmlError: () => new Response("<!doctype html><title>502 Bad Gateway</title><h1>nginx</h1>", { status: 418, headers: { "content-type": "text/html" } }),
};

/**
 * Cycles through all kinds of bad replies in an order determined by the seed; `only` restricts the kinds.
 * `played` lists those so far. It never hangs, but some replies end only because the engine ends them.
 */
export function adversarial(seed = 1, options) {
  const order = shuffled(chosen(checked("adversarial", options, { only: (_, value) => value }).only), seed);
  const byRule = heuristic();
  const played = [];
  const llm = async (request, context) => {
    const name = order[played.length % order.length];
    played.push(name);
    const shape = shapeOf(request) ?? {};
    const facts = factsOf(request);
    const good = await byRule(asText(request, shape), context);
    return KINDS[name]({ good, json: fill(shape, facts), shape, facts });
  };
  return Object.assign(llm, { kinds: order, played });
}

function chosen(only) {
  if (only === undefined) return Object.keys(KINDS);
  const kinds = [only].flat();
  const isKnown = (kind) => typeof kind === "string" && Object.hasOwn(KINDS, kind);
  if (kinds.length > 0 && kinds.every(isKnown)) return kinds;
  throw invalid("adversarial.only", `one or several of ${Object.keys(KINDS).join(", ")}`, kinds.length === 0 ? "an empty list" : shown(kinds.find((kind) => !isKnown(kind))));
}

/** Returns the same request for JSON in a form that expects text rather than a call. */
const asText = ({ tools, ...request }, schema) => (tools ? { ...request, response_format: { json_schema: { schema } } } : request);

/** Returns a stream of server-sent events that ends badly. */
function events(pieces, end) {
  const bytes = pieces.map((content) => new TextEncoder().encode(`data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`));
  let at = 0;
  const pull = (stream) => {
    if (at < bytes.length) stream.enqueue(bytes[at++]);
    else end(stream, () => stream.enqueue(bytes[at++ % bytes.length]));
  };
  return new Response(new ReadableStream({ pull }), { headers: { "content-type": "text/event-stream" } });
}

const renamed = (json) => Object.fromEntries(Object.entries(json).map(([, value], at) => [`field${at}`, value]));

function mistyped(json) {
  const wrong = (value) => {
    if (Array.isArray(value)) return { 0: value[0] ?? null };
    return { string: 7, number: "many", boolean: "perhaps" }[typeof value] ?? false;
  };
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, wrong(value)]));
}

/** Fisher–Yates, by a linear congruential generator. */
function shuffled(list, seed) {
  let state = seed >>> 0;
  const below = (bound) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
  const order = [...list];
  for (let at = order.length - 1; at > 0; at--) {
    const other = below(at + 1);
    [order[at], order[other]] = [order[other], order[at]];
  }
  return order;
}
