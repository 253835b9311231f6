// Tests an endpoint: asks for one word, and reports the outcome in a sentence that the user can act on.

import { fetchThroughFrame, isAnyoneThere } from "./frame-fetch.js";
import { baseOf, headersOf } from "./endpoint.js";
import { blockedBy } from "./network.js";
import { language, t } from "../words.js";
import { settingOf } from "./servers.js";

/** A model may have to be loaded into memory first. */
const PATIENCE = 90_000;
const LIST_PATIENCE = 8_000;
const KNOCK_PATIENCE = 8_000;
const QUESTION = "Answer with the one word: ready";

/** Paths under which servers have the interface, tried where an address has none. */
const PATHS = ["v1", "api/v1", "openai/v1"];
const GUESS_PATIENCE = 3_000;

/**
 * @param {any} settings
 * @param {{ signal?: AbortSignal }} [options]
 * @returns {Promise<{ ok: boolean, text: string, models: string[], address?: string }>} the outcome, the names of the models that the endpoint lists, and
 *   an address of the same server where the interface answers, if it does not here
 */
export async function probe(settings, { signal } = {}) {
  const base = baseOf(settings.endpoint);
  const listed = await modelsAt(base, settings.key, within(signal, LIST_PATIENCE));
  signal?.throwIfAborted();
  const models = listed ?? [];
  const began = performance.now();
  const patience = within(signal, PATIENCE);
  try {
    const response = await ask(base, settings, patience);
    const text = await response.text();
    const said = response.ok ? wordOf(text) : null;
    if (said) return { ok: true, models, text: t`It answered “${said}” after ${seconds(performance.now() - began)}.` };
    const address = listed === null && isNoInterface(response, text) ? await elsewhere(base, settings.key, signal) : undefined;
    return { ok: false, models, text: sentence(response, text, { base, models, address, ...settings }), ...(address && { address }) };
  } catch {
    signal?.throwIfAborted();
    // Checks the signal and not the error, because an interrupted body causes an error of its own.
    return { ok: false, models, text: await (patience.aborted ? tooSlow : unreached)(base, signal) };
  }
}

/**
 * Returns the names of the endpoint's models, or null if it does not list them.
 * @param {any} settings
 * @param {{ signal?: AbortSignal }} [options]
 */
export async function listModels({ endpoint, key }, { signal } = {}) {
  const names = await modelsAt(baseOf(endpoint), key, within(signal, LIST_PATIENCE));
  signal?.throwIfAborted();
  return names;
}

/** Returns the names of the models at an address, or null if there is no list. */
async function modelsAt(base, key, signal) {
  try {
    const response = await fetchThroughFrame(base, `${base}/models`, { headers: headersOf(key), signal });
    const { data } = response.ok ? await response.json() : {};
    return Array.isArray(data) ? data.map(({ id }) => id).filter((id) => typeof id === "string") : null;
  } catch {
    return null;
  }
}

/** Whether a server answered that has no such interface at this address. */
const isNoInterface = (response, text) => [404, 405].includes(response.status) ? !isAboutModel(parsed(text)) : response.ok && wordOf(text) === null;

/** Returns an address of the same server with a list of models, or undefined. */
async function elsewhere(base, key, signal) {
  const { origin } = new URL(base);
  const guesses = [...(base.endsWith("/v1") ? [] : [`${base}/v1`]), ...PATHS.map((path) => `${origin}/${path}`)];
  for (const guess of [...new Set(guesses)].filter((one) => one !== base)) {
    if (await modelsAt(guess, key, within(signal, GUESS_PATIENCE))) return guess;
    signal?.throwIfAborted();
  }
  return undefined;
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

const isAboutModel = (json) => /model/i.test(`${detailOf(json)} ${json?.error?.code ?? ""}`);

/** Returns what a server says of an error, or an empty text. */
const detailOf = (json) => json?.error?.message ?? json?.message ?? (typeof json?.error === "string" ? json.error : typeof json?.detail === "string" ? json.detail : "");

function sentence(response, text, { base, models, model, key, address }) {
  const { status } = response;
  const json = parsed(text);
  const detail = detailOf(json);
  const where = address ? t`It answers at ${address}: enter that address.` : t("The address of most endpoints ends in /v1.");
  const reason = detail ? t` It says: “${String(detail).slice(0, 200)}”` : "";
  const choice = models.length > 0 ? t` It has ${models.slice(0, 6).join(", ")}${models.length > 6 ? t(" and others") : ""}.` : "";
  if (status === 401 || status === 403) return t`The endpoint ${key ? t("refused the key") : t("requires a key")} (HTTP ${status}). ${key ? t("Check the key, and whether it may use this model.") : t("Enter one.")}${reason}`;
  if ((status === 404 || status === 400 || status === 422) && isAboutModel(json)) {
    return t`The endpoint does not know ${model ? t`the model “${model}”` : t("which model to use")}. ${model ? t("Check its name.") : t("Enter its name.")}${choice}${reason}`;
  }
  if (status === 404 || status === 405) return t`${base}/chat/completions does not exist there (HTTP ${status}). ${where}${reason}`;
  if (status === 429) return t`The endpoint accepts no more requests for now (HTTP 429). Wait, or check whether your account has credit.${reason}`;
  if (status >= 500) return t`The endpoint failed (HTTP ${status}). Check its log.${reason}`;
  if (!response.ok) return t`The endpoint refused the request (HTTP ${status}).${reason}`;
  if (json === undefined) {
    const type = response.headers.get("content-type")?.split(";")[0] ?? t("something");
    return t`A server answered, but with ${type} instead of JSON: this is not an OpenAI-compatible endpoint. ${where}`;
  }
  if (wordOf(text) === null) return t`The server answered with JSON, but without a model’s reply: this is not an OpenAI-compatible endpoint. ${where}${reason}`;
  return t("The model answered with an empty text. It can be used; another model may work better.");
}

async function tooSlow(base, signal) {
  const who = (await isThere(base, signal)) ? t("A server is there, and") : t("There may be no server: is it running, and is the address right? If so, it");
  return t`${base} did not answer within ${PATIENCE / 1000} seconds. ${who} may still be loading the model: try again in a while.`;
}

/** Browsers do not tell pages why a request failed. If a request that needs no permission (CORS) is answered, permission is missing. */
async function unreached(base, signal) {
  const { absence, there, more } = await reached(base, signal);
  if (absence !== null) return absence;
  const setting = settingOf(base, location.origin);
  const help = setting === "" ? "" : `${setting} `;
  const who = there ? t`A server answers at ${base}, but` : t`This page can read no response from ${base}. Check whether it is running, and whether the address is right. If so, it`;
  return t`${who} does not allow this page (CORS). Allow requests from ${location.origin} there. ${help}If it redirects requests to another address, enter that address.${more}`;
}

/**
 * Returns why no server is reached at an address, in a sentence, or null if one answers or that is unknown.
 * @param {{ endpoint: string }} settings
 * @param {{ signal?: AbortSignal }} [options]
 */
export const absenceOf = async ({ endpoint }, { signal } = {}) => (await reached(baseOf(endpoint), signal)).absence;

/** Returns whether a server answers, and why none does; `more` is what else the browser does about the address. */
async function reached(base, signal) {
  const { isDenied, text } = await blockedBy(base);
  if (isDenied) return { absence: text, there: null, more: "" };
  const there = await isThere(base, signal);
  const more = text === "" ? "" : ` ${text}`;
  return { absence: there === false ? t`No server answers at ${base}. Is it running, and is the address right?${more}` : null, there, more };
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

const seconds = (ms) => `${(ms / 1000).toLocaleString(language, { maximumFractionDigits: 1 })} s`;
