// Tests an endpoint: asks for one word, and reports the outcome in a sentence that the user can act on.

import { fetchThroughFrame, isAnyoneThere } from "./frame-fetch.js";
import { baseOf, headersOf } from "./endpoint.js";

/** A model may have to be loaded into memory first. */
const PATIENCE = 90_000;
const LIST_PATIENCE = 8_000;
const KNOCK_PATIENCE = 8_000;
const QUESTION = "Answer with the one word: ready";

/** How to allow a page in common servers. */
const LETS_IN = {
  11434: (origin) => `Start Ollama with OLLAMA_ORIGINS=${origin}.`,
  1234: () => "In LM Studio, switch on “Enable CORS” in the server settings.",
};

/**
 * @param {any} settings
 * @param {{ signal?: AbortSignal }} [options]
 * @returns `{ ok, text, models }`: the outcome, and the names of the models that the endpoint lists
 */
export async function probe(settings, { signal } = {}) {
  const base = baseOf(settings.endpoint);
  const models = await listModels(settings, { signal });
  const began = performance.now();
  const patience = within(signal, PATIENCE);
  try {
    const response = await ask(base, settings, patience);
    const text = await response.text();
    const said = response.ok ? wordOf(text) : null;
    if (said) return { ok: true, models, text: `It answered “${said}” after ${seconds(performance.now() - began)}.` };
    return { ok: false, models, text: sentence(response, text, { base, models, ...settings }) };
  } catch {
    signal?.throwIfAborted();
    // Checks the signal and not the error, because an interrupted body causes an error of its own.
    return { ok: false, models, text: await (patience.aborted ? tooSlow : unreached)(base, signal) };
  }
}

/**
 * Returns the names of the endpoint's models, or none if it does not list them.
 * @param {any} settings
 * @param {{ signal?: AbortSignal }} [options]
 */
export async function listModels({ endpoint, key }, { signal } = {}) {
  try {
    const response = await fetchThroughFrame(baseOf(endpoint), `${baseOf(endpoint)}/models`, { headers: headersOf(key), signal: within(signal, LIST_PATIENCE) });
    const { data } = response.ok ? await response.json() : {};
    return (data ?? []).map(({ id }) => id).filter((id) => typeof id === "string");
  } catch {
    signal?.throwIfAborted();
    return [];
  }
}

const within = (signal, ms) => AbortSignal.any([AbortSignal.timeout(ms), ...(signal ? [signal] : [])]);

const ask = (base, { model, key }, signal) =>
  fetchThroughFrame(base, `${base}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headersOf(key) },
    body: JSON.stringify({ ...(model && { model }), messages: [{ role: "user", content: QUESTION }], stream: false }),
    signal,
  });

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the model's text, shortened; empty if there is none, null if this is not a completion. */
function wordOf(text) {
  const message = parsed(text)?.choices?.[0]?.message;
  if (!message) return null;
  const said = String(message.content ?? "").trim();
  return said.length > 60 ? `${said.slice(0, 60)}…` : said;
}

function sentence(response, text, { base, models, model, key }) {
  const { status } = response;
  const json = parsed(text);
  const detail = json?.error?.message ?? json?.message ?? (typeof json?.error === "string" ? json.error : typeof json?.detail === "string" ? json.detail : "");
  const reason = detail ? ` It says: “${String(detail).slice(0, 200)}”` : "";
  const choice = models.length > 0 ? ` It has ${models.slice(0, 6).join(", ")}${models.length > 6 ? " and others" : ""}.` : "";
  const aboutModel = /model/i.test(`${detail} ${json?.error?.code ?? ""}`);
  if (status === 401 || status === 403) return `The endpoint ${key ? "refused the key" : "requires a key"} (HTTP ${status}). ${key ? "Check the key, and whether it may use this model." : "Enter one."}${reason}`;
  if ((status === 404 || status === 400 || status === 422) && aboutModel) {
    return `The endpoint does not know ${model ? `the model “${model}”` : "which model to use"}. ${model ? "Check its name." : "Enter its name."}${choice}${reason}`;
  }
  if (status === 404 || status === 405) return `${base}/chat/completions does not exist there (HTTP ${status}). The address of most endpoints ends in /v1.${reason}`;
  if (status === 429) return `The endpoint accepts no more requests for now (HTTP 429). Wait, or check whether your account has credit.${reason}`;
  if (status >= 500) return `The endpoint failed (HTTP ${status}). Check its log.${reason}`;
  if (!response.ok) return `The endpoint refused the request (HTTP ${status}).${reason}`;
  if (json === undefined) {
    const type = response.headers.get("content-type")?.split(";")[0] ?? "something";
    return `A server answered, but with ${type} instead of JSON: this is not an OpenAI-compatible endpoint. Most of their addresses end in /v1.`;
  }
  if (wordOf(text) === null) return `The server answered with JSON, but without a model’s reply: this is not an OpenAI-compatible endpoint. Most of their addresses end in /v1.${reason}`;
  return "The model answered with an empty text. It can be used; another model may work better.";
}

async function tooSlow(base, signal) {
  const who = (await isThere(base, signal)) ? "A server is there, and" : "There may be no server: is it running, and is the address right? If so, it";
  return `${base} did not answer within ${PATIENCE / 1000} seconds. ${who} may still be loading the model: try again in a while.`;
}

/** Browsers do not tell pages why a request failed. If a request that needs no permission (CORS) is answered, permission is missing. */
async function unreached(base, signal) {
  const there = await isThere(base, signal);
  if (there === false) return `No server answers at ${base}. Is it running, and is the address right?`;
  const help = LETS_IN[new URL(base).port]?.(location.origin).concat(" ") ?? "";
  const who = there ? `A server answers at ${base}, but` : `This page can read no response from ${base}. Check whether it is running, and whether the address is right. If so, it`;
  return `${who} does not allow this page (CORS). Allow requests from ${location.origin} there. ${help}If it redirects requests to another address, enter that address.`;
}

/** Returns whether a server soon answers a request that needs no permission; null if unknown. */
async function isThere(base, signal) {
  try {
    return await isAnyoneThere(base, { signal: within(signal, KNOCK_PATIENCE) });
  } catch {
    signal?.throwIfAborted();
    return false;
  }
}

const seconds = (ms) => `${(ms / 1000).toLocaleString("en", { maximumFractionDigits: 1 })} s`;
