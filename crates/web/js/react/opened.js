// Knowledge bases that components share: one by name, closed a moment after the last component that uses it is gone. React's strict mode
// unmounts every component once and mounts it again at once, and so does a change of routes; neither opens a library twice.

/** Milliseconds that an unused knowledge base stays open. */
const GRACE = 250;

/** @typedef {{ kb: any, status: "opening" | "ready" | "failed", error: any }} State */
/** @type {State} */
export const OPENING = { kb: null, status: "opening", error: null };

export class Opened {
  /** @type {State} */
  state = OPENING;
  #open;
  #users = 0;
  #isOpening = false;
  #isOffered = true; // by the constructor
  /** @type {Set<() => void>} */
  #listeners = new Set();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #turn = 0;

  /** @param {() => Promise<any>} open */
  constructor(open) {
    this.#open = open;
  }

  /** Sets how it is opened again after it was closed. The first offer counts: components of one page are rendered one after another before any is mounted. */
  offer(open) {
    if (!this.#isOffered) this.#open = open;
    this.#isOffered = true;
    return this;
  }

  /** Calls `listener` at every change. Returns a function that ends this; after the last one, the knowledge base is closed. */
  subscribe = (listener) => {
    this.#listeners.add(listener);
    this.#users += 1;
    clearTimeout(this.#timer);
    if (this.state === OPENING && !this.#isOpening) this.retry();
    let isLeft = false;
    return () => {
      if (isLeft) return;
      isLeft = true;
      this.#listeners.delete(listener);
      if (--this.#users === 0) this.#timer = setTimeout(() => this.#close(), GRACE);
    };
  };

  /** Opens it, again after a failure. */
  retry = () => {
    if (this.state.status === "ready" || this.#isOpening) return;
    const turn = ++this.#turn;
    const isCurrent = () => turn === this.#turn;
    this.#isOpening = true;
    this.#set(OPENING);
    const failed = (error) => isCurrent() && this.#settled({ kb: null, status: "failed", error });
    this.#open().then((kb) => {
      if (!isCurrent()) return void kb.close();
      this.#settled({ kb, status: "ready", error: null });
      kb.on?.("failed", ({ error }) => {
        if (isCurrent()) kb.close().catch(() => {}); // its engine is gone, and the error is told
        failed(error);
      });
    }, failed);
  };

  #settled(state) {
    this.#isOpening = false;
    this.#set(state);
  }

  /** Closes it; a component that is mounted later opens it again. */
  #close() {
    this.#turn += 1; // one that is still being opened is closed when it is there
    this.#isOffered = false;
    this.#isOpening = false;
    void this.state.kb?.close();
    this.state = OPENING;
  }

  #set(state) {
    this.state = state;
    for (const listener of [...this.#listeners]) listener();
  }
}

/** @type {Map<string, Opened>} */
const byName = new Map();

/** Returns the knowledge base of a name, which all components share. */
export function shared(name, open) {
  const there = byName.get(name);
  if (there) return there.offer(open);
  const made = new Opened(open);
  byName.set(name, made);
  return made;
}
