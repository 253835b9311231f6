// The turns of a conversation: answers one question at a time and, for stored conversations, saves each state before it counts.

import { VademecumError } from "./error.js";

/** All users of one stored conversation of a KnowledgeBase share a thread. */
export class Thread {
  #turns;
  #history;
  #pending; // the clarification, until it is answered
  #clarified = 0; // number of clarifications so far
  #start; // initial turns if nothing is stored
  #kept;
  /** @type {Promise<{ readOnly: boolean }> | null} */
  #loading = null;
  #last = Promise.resolve();
  #clearing = Promise.resolve();
  #times = 0; // number of resets
  /** @type {{ turns: any[], history: any[], pending?: any } | null} */
  #shown = null; // the public view, unchanged until the next change
  #listeners = new Set();

  /** @param kept `{ load, save }`, or null for one that exists only in memory */
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

  /** Calls `listener` whenever the turns, the history or the clarification change; returns a function that unsubscribes. */
  subscribe(listener) {
    const one = { listener };
    this.#listeners.add(one);
    return () => void this.#listeners.delete(one);
  }

  #changed() {
    this.#shown = null;
    for (const { listener } of this.#listeners) queueMicrotask(listener);
  }

  /** Returns the state as plain data; `pending` only if there is a clarification. */
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
   * Resolves when the stored state is loaded. After a failure, and while another tab writes it, it is read again.
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

  /** Does `run` after all earlier questions; immediately if the signal is aborted, because then it only reports that. */
  next(signal, run) {
    const mine = turnOf(this.#last, signal).then(async () => {
      await this.#clearing; // otherwise it would see turns that are being deleted
      const { readOnly } = await this.load();
      if (readOnly) throw readOnlyHere();
      return run();
    });
    this.#last = Promise.allSettled([this.#last, mine]).then(() => {}); // results are not retained longer than their question
    return mine;
  }

  /**
   * Adds a turn, unless the conversation was reset since, and removes the clarification. Returns the error of storing
   * it, or null.
   */
  add(turn, history, times) {
    return this.#change(times, () => {
      this.#turns.push(turn);
      [this.#history, this.#pending] = [history, null];
    });
  }

  /** Stores a clarification, in the same way as `add` a turn. */
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
      return error; // it stays in memory, and is stored with the next one
    }
  }

  /** Resets the conversation after `write`. Running questions add no turn, and queued ones wait for it. */
  anew(write = () => this.#kept?.save({ turns: [], history: [] })) {
    this.#times += 1;
    return this.#clear(async () => {
      await this.load().catch(() => {}); // a damaged state is replaced; loading it later would undo the reset
      await write();
      this.#start = { turns: [], history: [], pending: null };
      this.#take(this.#start);
      if (this.#kept) this.#loading = Promise.resolve({ readOnly: false });
    });
  }

  /** Discards the clarification. Queued questions wait for this. */
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
    this.#clearing = mine.catch(() => {}); // reported to the caller of `clear`
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
