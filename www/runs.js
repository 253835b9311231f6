// The runs of this visit, as they happen: the ask tab begins them, the trace tab shows them.

import { observable } from "./observable.js";

const KEPT = 20;
let begun = 0;

export class Runs {
  /** All of them, the newest first, each as `begin` made it. */
  list = observable([]);
  /** The run that something happened in last. */
  changed = observable(null);

  /**
   * @param about `{ question, style, run, … }`: `run` is what the agent gave; its events are read by whoever asked, and told here
   *   by `note`. What else is told stays in the record.
   */
  begin(about) {
    const record = { ...about, id: ++begun, begun: Date.now(), events: [], result: null, error: null, state: "running" };
    this.list.value = [record, ...this.list.value].slice(0, KEPT);
    return record;
  }

  note(record, event) {
    record.events.push(event);
    this.changed.value = record;
  }

  /** @param state `done`, `stopped`, `clarify` or `failed` */
  end(record, state, result, error = null) {
    Object.assign(record, { state, result, error });
    this.changed.value = record;
  }

  /** A run of this visit by its number, if it is still kept. */
  find(id) {
    return this.list.value.find((record) => record.id === id) ?? null;
  }
}
