// The runs of this visit: started by the Ask tab, shown by the Trace tab.

import { observable } from "./observable.js";

const KEPT = 20;
let begun = 0;

export class Runs {
  /** All records, newest first, as created by `begin`. */
  list = observable([]);
  /** The run with the latest event. */
  changed = observable(null);

  /**
   * @param about `{ question, style, run, … }`: `run` is the agent's run; its consumer passes the events to
   *   `note`. All other fields become part of the record.
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

  /** Returns a run of this visit by its number, if it is still in the list. */
  find(id) {
    return this.list.value.find((record) => record.id === id) ?? null;
  }
}
