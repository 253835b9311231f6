// What goes to the language model while questions are made or ways are compared: how much, and of what. The requests themselves are
// not kept, for there may be thousands.

import { countOf, toldOf } from "../trace/ledger.js";

export class Sent {
  #model;
  #mayBeSent;
  #entries = [];

  /**
   * @param model as `app.model` has it, or null
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

  /** In a sentence or two. */
  get told() {
    return `What left this device: ${toldOf({ model: this.#model, state: "done" }, this.#entries)}`;
  }

  /** For whoever reads the report as data. */
  get count() {
    return { to: this.#model?.where ?? null, isElsewhere: this.#model?.isElsewhere ?? false, ...countOf(this.#entries) };
  }

  get isNothing() {
    return this.#entries.length === 0;
  }
}
