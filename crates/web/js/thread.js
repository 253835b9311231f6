// The turns of a conversation: one question at a time, and, where it is kept, each state on the disk before it counts.

import { VademecumError } from "./error.js";

/** Whoever opens the same kept conversation of a KnowledgeBase has the same thread. */
export class Thread {
  #turns;
  #history;
  #pending; // what the user was asked, until it is answered
  #clarified = 0; // how often the user was asked something
  #start; // what it begins with where nothing is kept
  #kept;
  /** @type {Promise<{ readOnly: boolean }> | null} */
  #loading = null;
  #last = Promise.resolve();
  #clearing = Promise.resolve();
  #times = 0; // how often it was begun anew
  /** @type {{ turns: any[], history: any[], pending?: any } | null} */
  #shown = null; // what is read of it, the same until it changes
  #listeners = new Set();

  /** @param kept `{ load, save }`, or null for one that is gone with its object */
  constructor({ turns = [], history = [], pending = null } = {}, kept = null) {
    this.#start = structuredClone({ turns, history, pending });
    this.#take(this.#start);
    this.#kept = kept;
  }

  get turns() {
    return this.#view().turns;
  }

  get history() {
    return this.#view().history;
  }

  /** `{ question, clarification, state, runId }`, or null. */
  get pending() {
    return this.#view().pending ?? null;
  }

  #view() {
    if (this.#shown) return this.#shown;
    const { turns, history, pending } = this.state;
    for (const list of [turns, history]) Object.freeze(list).forEach(Object.freeze);
    return (this.#shown = { turns, history, pending });
  }

  /** Calls `listener` whenever the turns, the history or what is pending change; returns what ends that. */
  subscribe(listener) {
    const one = { listener };
    this.#listeners.add(one);
    return () => void this.#listeners.delete(one);
  }

  #changed() {
    this.#shown = null;
    for (const { listener } of this.#listeners) queueMicrotask(listener);
  }

  /** All of it as plain data; `pending` where there is something. */
  get state() {
    return structuredClone(this.#state());
  }

  get times() {
    return this.#times;
  }

  get clarified() {
    return this.#clarified;
  }

  /**
   * Resolves when what is kept is here. After a failure, and while another tab writes it, it is read anew.
   * @returns {Promise<{ readOnly: boolean }>}
   */
  load() {
    if (!this.#kept) return Promise.resolve({ readOnly: false });
    return (this.#loading ??= this.#kept.load().then(
      (state) => {
        this.#take(state.turns.length + state.history.length > 0 || state.pending ? state : this.#start);
        if (state.readOnly) this.#loading = null;
        return state;
      },
      (error) => {
        this.#loading = null;
        throw error;
      },
    ));
  }

  #take({ turns, history, pending = null }) {
    [this.#turns, this.#history, this.#pending] = [[...turns], [...history], pending];
    this.#changed();
  }

  #state() {
    return { turns: this.#turns, history: this.#history, ...(this.#pending && { pending: this.#pending }) };
  }

  /** Does `run` after all that was asked before; at once where the signal is aborted, for then it only says so. */
  next(signal, run) {
    const mine = turnOf(this.#last, signal).then(async () => {
      await this.#clearing; // or it would be shown what is being forgotten
      const { readOnly } = await this.load();
      if (readOnly) throw readOnlyHere();
      return run();
    });
    this.#last = Promise.allSettled([this.#last, mine]).then(() => {}); // no result outlives its question
    return mine;
  }

  /**
   * Adds a turn, unless the conversation was begun anew since: it has gone on, and nothing is pending. What keeping it failed
   * with, or null.
   */
  add(turn, history, times) {
    return this.#change(times, () => {
      this.#turns.push(turn);
      [this.#history, this.#pending] = [history, null];
    });
  }

  /** Notes what the user is asked, as `add` a turn. */
  ask(pending, times) {
    return this.#change(times, () => {
      this.#pending = pending;
      this.#clarified += 1;
    });
  }

  async #change(times, change) {
    if (times !== this.#times) return null;
    change();
    this.#changed();
    try {
      await this.#kept?.save(this.#state());
      return null;
    } catch (error) {
      return error; // it is here, and kept with the next one
    }
  }

  /** Begins anew, once `write` has. What is under way adds no turn, and what has not begun waits for it. */
  anew(write = () => this.#kept?.save({ turns: [], history: [] })) {
    this.#times += 1;
    return this.#clear(async () => {
      await this.load().catch(() => {}); // what was damaged is begun anew; what comes later would undo it
      await write();
      this.#start = { turns: [], history: [], pending: null };
      this.#take(this.#start);
      if (this.#kept) this.#loading = Promise.resolve({ readOnly: false });
    });
  }

  /** Forgets what is pending. What has not begun waits for it. */
  dismiss() {
    return this.#clear(async () => {
      const { readOnly } = await this.load();
      if (!this.#pending) return;
      if (readOnly) throw readOnlyHere();
      this.#pending = null;
      this.#changed();
      await this.#kept?.save(this.#state());
    });
  }

  #clear(run) {
    const mine = this.#clearing.then(run);
    this.#clearing = mine.catch(() => {}); // whoever clears is told
    return mine;
  }
}

/** @returns {Promise<void>} */
function turnOf(before, signal) {
  return new Promise((resolve) => {
    const end = () => {
      signal?.removeEventListener?.("abort", end);
      resolve();
    };
    before.then(end);
    if (signal?.aborted) end();
    else signal?.addEventListener?.("abort", end);
  });
}

const readOnlyHere = () =>
  new VademecumError(
    "Another tab has the library open for writing, and with it this conversation; here it can be read. Close it there, or go on with a " +
      "`fork()`, which is not kept.",
    { code: "read_only", retryable: true },
  );
