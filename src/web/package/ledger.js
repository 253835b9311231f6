// The privacy ledger of a run: every request that is handed to an LLM function, as it is handed over, and every one that
// `onBeforeSend` did not let go. It is kept on the page, next to that function: no request gets to one without passing here.

import { aborted, causeOf } from "./error.js";
import { shown } from "./options.js";
import { unlessAborted } from "./wait.js";

export class Ledger {
  #entries = [];
  #onBeforeSend;
  #tell;
  #began = performance.now();

  /** @param tell is given each entry once it is known whether it was sent */
  constructor(onBeforeSend, tell = () => {}) {
    this.#onBeforeSend = onBeforeSend;
    this.#tell = tell;
  }

  /** `{ payload }`, which may be sent and is noted as sent; or `{ denied: { reason, cause } }`. Ends with the signal. */
  async admit(request, { step, sources = [], signal }) {
    if (signal.aborted) throw aborted();
    const asked = JSON.stringify(request);
    const entry = { step, at: performance.now() - this.#began, sent: false, changed: false, sources, ...noted(asked) };
    this.#entries.push(entry);
    const { json, ...denied } = this.#onBeforeSend ? await this.#asked(asked, { step, sources: copy(sources), signal }) : { json: asked };
    if (json === undefined) {
      entry.reason = denied.reason;
      if (signal.aborted) throw aborted();
      this.#tell(copy(entry));
      return { denied };
    }
    Object.assign(entry, { sent: true, changed: json !== asked, ...noted(json) });
    this.#tell(copy(entry));
    return { payload: JSON.parse(json) };
  }

  /** What may be sent, as `{ json }`, or `{ reason, cause }`. Whatever is not plainly a payload is no leave to send one. */
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
      if (signal.aborted) return { reason: "the run no longer waited for it" };
      return { reason: String(thrown?.message ?? thrown), cause: causeOf(thrown) };
    }
  }

  /** Copies: what a user does with them changes nothing here. */
  get entries() {
    return this.#entries.map(copy);
  }
}

const copy = (value) => JSON.parse(JSON.stringify(value));

const noted = (json) => ({ request: JSON.parse(json), bytes: new TextEncoder().encode(json).length });

