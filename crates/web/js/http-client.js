// JSON over HTTP with a time-out per attempt, and retries where they help: a server that is busy, restarts or cannot be reached.

import { aborted, ended, VademecumError } from "./error.js";

/** Milliseconds before the first retry; doubled with each. */
const PAUSE = 200;
/** Maximum number of milliseconds that a server may ask to wait before a retry. */
const LONGEST = 10_000;
/** Number of characters of an answer in a message. */
const SHOWN = 120;

const BUSY = [429, 502, 503, 504];

export class HttpClient {
  #options;

  /** @param {{ url: string, who: string, headers?: Record<string, string>, timeoutMs?: number, retries?: number, fetch?: (url: string, init: any) => Promise<any> }} options */
  constructor(options) {
    this.#options = options;
  }

  get url() {
    return this.#options.url;
  }

  /**
   * Sends a request and returns the JSON of the answer.
   * @param {string} method
   * @param {string} path
   * @param {any} body
   * @param {AbortSignal} signal
   * @param {(status: number, body: any) => any} [refused] returns the error for a refusal, or null; `body` is null if it is not JSON
   */
  async json(method, path, body, signal, refused = () => null) {
    const { retries = 2 } = this.#options;
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#once(method, path, body, signal, refused);
      } catch (error) {
        if (signal.aborted) throw aborted();
        if (!error.retryable || attempt >= retries || error.wait > LONGEST) throw error;
        // Clients that were refused together should not come back together.
        await pause(error.wait ?? PAUSE * 2 ** attempt * (0.75 + Math.random() / 2), signal);
      }
    }
  }

  async #once(method, path, body, signal, refused) {
    const { url, headers = {}, timeoutMs = 10_000, fetch: own = globalThis.fetch } = this.#options;
    const ending = new AbortController();
    const end = () => ending.abort();
    if (signal.aborted) throw aborted();
    signal.addEventListener("abort", end);
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      end();
    }, timeoutMs);
    try {
      const options = { method, headers: { accept: "application/json", ...(body !== undefined && { "content-type": "application/json" }), ...headers }, signal: ending.signal, redirect: "error" };
      const response = await own(`${url}${path}`, body === undefined ? options : { ...options, body: JSON.stringify(body) });
      const text = await response.text();
      return await this.#read(response, text, refused);
    } catch (thrown) {
      if (thrown?.name === "VademecumError") throw thrown;
      if (signal.aborted) throw aborted();
      if (isLate) throw this.#error("remote_timeout", `did not answer within ${timeoutMs} ms`, "Ask again, or raise `timeoutMs`", true);
      throw this.#error("remote_unavailable", `cannot be reached: ${ended(thrown?.message ?? thrown)}`, "Check that it runs, and that it allows this page's origin (CORS)", true, thrown);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
    }
  }

  async #read(response, text, refused) {
    const { status } = response;
    const body = parsed(text);
    if (response.ok) {
      if (body !== undefined) return body;
      if (/^\s*</.test(text)) throw this.unusable("JSON, and not a page of HTML", "Check the address");
      throw this.unusable("JSON, and is cut off or of another form", "Ask again");
    }
    if (status === 429) throw this.#busy("remote_busy", status, response);
    if (BUSY.includes(status)) throw this.#busy("remote_unavailable", status, response);
    const own = await refused(status, body ?? null);
    if (own) throw own;
    const said = typeof body?.message === "string" ? body.message : text;
    const answer = `answered HTTP ${status}${said.trim() ? `: ${said.trim().slice(0, SHOWN)}` : ""}`;
    if (status === 401 || status === 403) throw this.#error("remote_refused", answer, "Check `headers`, which hold the key");
    throw this.#error("remote_failed", answer, "Check what was asked", status >= 500);
  }

  #busy(code, status, response) {
    const error = this.#error(code, `answered HTTP ${status}`, "Ask again later", true);
    return Object.assign(error, { wait: waitOf(response.headers.get("retry-after")) });
  }

  /** Returns the error of an answer that is not what it should be. */
  unusable(expected, advice = "Check the address") {
    return new VademecumError(`${this.#options.who} must answer with ${expected}. ${advice}.`, { code: "remote_reply" });
  }

  #error(code, what, advice, retryable = false, cause = undefined) {
    return new VademecumError(`${this.#options.who} ${what}. ${advice}.`, { code, retryable, cause });
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the milliseconds of a `Retry-After`, which has seconds or a date; undefined without one. */
function waitOf(header) {
  if (!header) return undefined;
  const wait = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined;
}

function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(aborted());
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve(undefined);
    }, milliseconds);
    signal.addEventListener("abort", stop, { once: true });
  });
}
