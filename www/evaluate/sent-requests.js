// Records what is sent to the language model while questions are generated or strategies compared: sizes and sources. The requests themselves are
// not stored, because there may be thousands.

import { countOf, toldOf } from "../trace/ledger.js";
import { t } from "../words.js";

export class SentRequests {
  #model;
  #mayBeSent;
  #entries = [];

  /**
   * @param model the value of `app.model`, or null
   * @param mayBeSent an `onBeforeSend`
   */
  constructor(model, mayBeSent) {
    this.#model = model;
    this.#mayBeSent = mayBeSent;
  }

  onBeforeSend = async (payload, context) => {
    const entry = { sent: false, sources: context.sources };
    this.#entries.push(entry);
    const allowed = await this.#mayBeSent(payload, context);
    Object.assign(entry, { sent: !context.signal.aborted, bytes: new TextEncoder().encode(JSON.stringify(allowed)).length });
    return allowed;
  };

  /** A summary in one or two sentences. */
  get told() {
    return t`What left this device: ${toldOf({ model: this.#model, state: "done" }, this.#entries)}`;
  }

  /** A summary as data, for the saved report. */
  get count() {
    return { to: this.#model?.where ?? null, isElsewhere: this.#model?.isElsewhere ?? false, ...countOf(this.#entries) };
  }

  get isNothing() {
    return this.#entries.length === 0;
  }
}
