// The engine of a knowledge base, which is restarted after a crash, with its library reopened.

import { attach } from "./attach.js";
import { closed, ended, fromPlain, VademecumError } from "./error.js";

/** Maximum number of crashes within a period of milliseconds, after which the engine is not restarted. */
const CRASHES = 3;
const WITHIN = 60_000;
/** Milliseconds for reopening to wait for the lock and the files of the crashed engine. */
const WAITS = 2_000;
const PAUSE = 200;

export class Supervisor {
  #start;
  #engine;
  #opened = null; // the arguments of `open`, once it is open
  /** @type {Promise<unknown> | null} */
  #again = null; // while it is being reopened
  /** @type {Error | null} */
  #over = null; // the reason why it answers no more
  #crashes = [];
  #nested = new Map(); // the workers that the page started for the engine
  #tell;

  /**
   * @param connect starts an engine: `(handlers, workers.engine, onCrash) => { call, terminate }`. It calls `onCrash(error)`, with
   *   `{ isFinal: true }` for an engine that cannot be restarted
   * @param tell called with `("restarted", { reason })` and `("failed", { error })`
   */
  constructor(connect, handlers, workers, tell) {
    this.#tell = tell;
    const own = {
      ...handlers,
      worker: ({ id, what, method, params }, { signal, emit }) => {
        if (!this.#nested.has(id)) this.#nested.set(id, attach(null, what, {}, workers[what]));
        return this.#nested.get(id).call(method, params, { signal, onEvent: emit });
      },
      endWorker: async ({ id, why }) => {
        this.#nested.get(id)?.terminate(why && fromPlain(why));
        this.#nested.delete(id);
      },
    };
    this.#start = () => (this.#engine = connect(own, workers.engine, (error, how) => this.#crashed(error, how)));
    this.#start();
  }

  /** Opens a knowledge base; repeated after a crash. */
  async open(params, signal) {
    await this.#openEngine(params, { signal });
    this.#opened = params;
  }

  async #openEngine(params, how) {
    const engine = this.#engine;
    const compiled = await engine.compiled;
    return engine.call("open", compiled ? { ...params, compiled } : params, how);
  }

  call(...call) {
    if (this.#over) return Promise.reject(this.#over);
    return this.#again ? this.#again.then(() => this.call(...call)) : this.#engine.call(...call);
  }

  terminate() {
    this.#over ??= closed();
    this.#engine.terminate();
    this.#endNested();
  }

  #endNested() {
    for (const worker of this.#nested.values()) worker.terminate();
    this.#nested.clear();
  }

  /** Errors during opening are reported to its caller. */
  #crashed(error, { isFinal = false } = {}) {
    this.#endNested();
    const params = this.#opened;
    if (!params || this.#over) return;
    this.#opened = null;
    if (isFinal) return this.#giveUp(error);
    this.#again = this.#reopen(params, error).finally(() => (this.#again = null));
  }

  async #reopen(params, error) {
    const reason = ended(error.message);
    const { library } = params;
    if (!library || library.kind === "memory") return this.#giveUp(lost(reason));
    for (let last = error; ; ) {
      const now = performance.now();
      this.#crashes = [...this.#crashes.filter((at) => now - at < WITHIN), now];
      if (this.#crashes.length >= CRASHES) return this.#giveUp(crashing(last));
      try {
        this.#start();
        await this.#openEngine({ ...params, library: { ...library, wait: WAITS } });
        this.#opened = params;
        return this.#tell("restarted", { reason });
      } catch (thrown) {
        this.#engine.terminate();
        if (this.#over) return;
        if (!thrown.retryable && thrown.code !== "worker_failed") return this.#giveUp(thrown);
        last = thrown;
        await new Promise((resolve) => setTimeout(resolve, PAUSE));
        if (this.#over) return;
      }
    }
  }

  #giveUp(error) {
    this.#over = error;
    this.#tell("failed", { error });
  }
}

const lost = (reason) =>
  new VademecumError(
    `${reason}. This KnowledgeBase was in memory alone, and what it held is lost. Make another with \`KnowledgeBase.memory()\` and add its ` +
      "documents again, or keep them by `KnowledgeBase.open(…)`.",
    { code: "library_lost" },
  );

const crashing = ({ message }) =>
  new VademecumError(
    `${ended(message)}. It failed ${CRASHES} times within a minute and is not started again. What was saved is kept: close this KnowledgeBase and open ` +
      "the library anew.",
    { code: "worker_failed" },
  );
