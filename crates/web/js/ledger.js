// The privacy ledger of a run: every request to an LLM function, as it is sent, and every one that `onBeforeSend` denied;
// and every call of a custom tool, made or denied. It is kept on the page, next to these
// functions: every request and call passes through it.

import { aborted, causeOf, VademecumError } from "./error.js";
import { shown } from "./options.js";
import { unlessAborted } from "./wait.js";

export class Ledger {
  #entries = [];
  #onBeforeSend;
  #tell;
  #onBeforeTool;
  #began = performance.now();

  /** @param {(entry: any) => void} tell called with each entry once it is known whether it was sent */
  constructor(onBeforeSend, tell = () => {}, onBeforeTool = null) {
    this.#onBeforeSend = onBeforeSend;
    this.#tell = tell;
    this.#onBeforeTool = onBeforeTool;
  }

  /**
   * Resolves if a custom tool may run, and throws `tool_denied` otherwise: `onBeforeTool` decides; without it, a tool
   * that is not `safe` is denied as soon as the model may be influenced by a document.
   */
  async admitTool({ step, name, arguments: args, tainted, sources = [] }, { safe, signal }) {
    if (signal.aborted) throw aborted();
    const json = JSON.stringify(args ?? null);
    const tool = () => ({ name, args: JSON.parse(json) });
    const entry = { step, at: performance.now() - this.#began, sent: false, tool: tool(), tainted: tainted !== false, sources, bytes: lengthOf(json) };
    this.#entries.push(entry);
    const reason = await this.#whyNot(tool(), { tainted: entry.tainted, sources: copy(sources), signal }, safe);
    if (signal.aborted) throw aborted();
    if (reason === null) entry.sent = true;
    else Object.assign(entry, { reason });
    this.#tell(copy(entry));
    if (reason !== null) throw new VademecumError(`The tool \`${name}\` was not run: ${reason}.`, { code: "tool_denied" });
  }

  /** Returns why a tool may not run, or null. Only `true` grants permission. */
  async #whyNot(call, context, safe) {
    if (!this.#onBeforeTool) return safe === true || !context.tainted ? null : UNASKED;
    const { signal } = context;
    try {
      const returned = await unlessAborted(signal, (async () => this.#onBeforeTool(call, context))());
      return returned === true ? null : `\`onBeforeTool\` returned ${shown(returned)}, and not true`;
    } catch (thrown) {
      return signal.aborted ? GONE : `\`onBeforeTool\` failed: ${thrown?.message ?? thrown}`;
    }
  }

  /** Returns `{ payload }`, which may be sent and is recorded as sent; or `{ denied: { reason, cause } }`. Ends with the signal. */
  async admit(request, { step, sources = [], signal }) {
    if (signal.aborted) throw aborted();
    const asked = JSON.stringify(request);
    const entry = { step, at: performance.now() - this.#began, sent: false, changed: false, sources, ...noted(asked) };
    this.#entries.push(entry);
    const { json, ...denied } = this.#onBeforeSend ? await this.#asked(asked, { step, sources: copy(sources), signal }) : { json: asked };
    if (json === undefined) {
      Object.assign(entry, denied.reason === undefined ? {} : { reason: denied.reason });
      if (signal.aborted) throw aborted();
      this.#tell(copy(entry));
      return { denied };
    }
    Object.assign(entry, { sent: true, changed: json !== asked, ...noted(json) });
    this.#tell(copy(entry));
    return { payload: JSON.parse(json) };
  }

  /**
   * Resolves if a search of a remote collection may be sent, and throws `send_denied` otherwise. `onBeforeSend` is the one of that
   * collection: both have to agree.
   */
  async admitSearch(search, { step, signal, onBeforeSend }) {
    if (signal.aborted) throw aborted();
    const json = JSON.stringify(search);
    const entry = { step, at: performance.now() - this.#began, sent: false, search: JSON.parse(json), bytes: lengthOf(json) };
    this.#entries.push(entry);
    let reason = null;
    for (const ask of [onBeforeSend, this.#onBeforeSend]) if (ask && reason === null) reason = await whyNotSent(ask, search, { step, sources: [], signal });
    if (reason === null) entry.sent = true;
    else Object.assign(entry, { reason });
    if (signal.aborted) throw aborted();
    this.#tell(copy(entry));
    if (reason !== null) throw new VademecumError(`\`onBeforeSend\` rejected the search of the remote collection \`${search.collection}\`: ${reason}. Return the payload to send it.`, { code: "send_denied" });
  }

  /** Returns what may be sent, as `{ json }`, or `{ reason, cause }`. Anything that is not clearly a payload denies the request. */
  async #asked(asked, context) {
    const { signal } = context;
    try {
      const returned = await unlessAborted(signal, (async () => this.#onBeforeSend(JSON.parse(asked), context))());
      if (returned === null || returned === false) return { reason: `it returned ${returned}` };
      if (typeof returned !== "object" || !Array.isArray(returned?.messages)) {
        return { reason: `it returned ${shown(returned)}, and no payload with messages` };
      }
      return { json: JSON.stringify(returned) };
    } catch (thrown) {
      if (signal.aborted) return { reason: GONE };
      return { reason: String(thrown?.message ?? thrown), cause: causeOf(thrown) };
    }
  }

  /** Returns copies, so that changes by the user have no effect here. */
  get entries() {
    return this.#entries.map(copy);
  }
}

/** Returns why `onBeforeSend` denies a search, or null. Only the same search grants permission: its vector cannot be changed with it. */
export async function whyNotSent(onBeforeSend, search, context) {
  const { signal } = context;
  const json = JSON.stringify({ search });
  try {
    const returned = await unlessAborted(signal, (async () => onBeforeSend(JSON.parse(json), context))());
    if (returned === null || returned === false) return `it returned ${returned}`;
    if (typeof returned !== "object" || typeof returned.search !== "object") return `it returned ${shown(returned)}, and no payload with a search`;
    return JSON.stringify({ search: returned.search }) === json ? null : "it changed the search, which is sent as it is or not at all";
  } catch (thrown) {
    return signal.aborted ? GONE : String(thrown?.message ?? thrown);
  }
}

const copy = (value) => JSON.parse(JSON.stringify(value));

const GONE = "the run no longer waited for it";
const UNASKED = "the model has read passages, an earlier answer or a tool's result; `safe: true` of the tool, or `onBeforeTool`, lets it run";

const lengthOf = (json) => new TextEncoder().encode(json).length;
const noted = (json) => ({ request: JSON.parse(json), bytes: lengthOf(json) });

