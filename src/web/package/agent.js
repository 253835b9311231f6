// The agent of the public API: pipelines are built here as plain data and run by the engine.

import { invalid, onlyKnown } from "./error.js";

/** Answers questions from a knowledge base. Without `llm` the answers are made of the documents' own sentences. */
export class Agent {
  #kb;
  #options;

  constructor(kb, options = {}) {
    onlyKnown("Agent", options, ["llm", "model"]);
    if (typeof kb?.runPipeline !== "function") throw invalid("kb", "a KnowledgeBase", typeof kb);
    if (options.llm !== undefined && typeof options.llm !== "function") {
      throw invalid("llm", "a function", typeof options.llm);
    }
    this.#kb = kb;
    this.#options = options;
  }

  /** Begins a pipeline: `agent.pipeline(question).search().answer().run()`. */
  pipeline(question, options = {}) {
    onlyKnown("pipeline", options, ["limit", "threshold", "collections"]);
    const { llm, model } = this.#options;
    const start = { question: String(question ?? ""), ...(model === undefined ? {} : { model }), ...options };
    return new Pipeline(start, (pipeline, signal) => new Run((onEvent) => this.#kb.runPipeline(pipeline, { llm, signal, onEvent })));
  }
}

class Pipeline {
  #start;
  #steps = [];
  #run;

  constructor(start, run) {
    this.#start = start;
    this.#run = run;
  }

  search(options = {}) {
    onlyKnown("search", options, ["collection", "collections"]);
    return this.#with({ step: "search", ...options });
  }

  answer(options = {}) {
    onlyKnown("answer", options, ["citations"]);
    return this.#with({ step: "answer", ...options });
  }

  /** The pipeline as data. */
  toJSON() {
    return { ...this.#start, steps: this.#steps };
  }

  run({ signal } = {}) {
    return this.#run(this.toJSON(), signal);
  }

  #with(step) {
    this.#steps = [...this.#steps, step];
    return this;
  }
}

/** A run under way: its events as an async iterable, its outcome as `result`. Every iteration sees every event. */
class Run {
  #events = [];
  #ended = false;
  #wake = () => {};
  #change;

  constructor(begin) {
    this.#arm();
    this.result = begin((event) => {
      this.#events.push(event);
      this.#signal();
    }).finally(() => {
      this.#ended = true;
      this.#signal();
    });
    // Whoever only reads events is told of misuse there.
    this.result.catch(() => {});
  }

  #arm() {
    this.#change = new Promise((resolve) => (this.#wake = resolve));
  }

  #signal() {
    this.#wake();
    this.#arm();
  }

  async *[Symbol.asyncIterator]() {
    for (let at = 0; ; ) {
      if (at < this.#events.length) yield this.#events[at++];
      else if (this.#ended) break;
      else await this.#change;
    }
    await this.result; // throws what the run was refused for
  }
}
