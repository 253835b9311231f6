// The runs of this visit, as they happen: the ask tab begins them, the trace tab shows them.

import { observable } from "./observable.js";

const KEPT = 20;

export class Runs {
  /** All of them, the newest first, each as `begin` made it. */
  list = observable([]);
  /** The run that something happened in last. */
  changed = observable(null);

  /** @param run what the agent gave: its events are read by whoever asked, and told here by `note` */
  begin({ question, style, run }) {
    const record = { question, style, run, begun: Date.now(), events: [], result: null, state: "running" };
    this.list.value = [record, ...this.list.value].slice(0, KEPT);
    return record;
  }

  note(record, event) {
    record.events.push(event);
    this.changed.value = record;
  }

  /** @param state `done`, `stopped`, `clarify` or `failed` */
  end(record, state, result) {
    Object.assign(record, { state, result });
    this.changed.value = record;
  }
}
