// The work behind the scenes: merging segments, building graphs, saving both. Nobody waits for it.

/**
 * @param engine the wasm module's
 * @param spawnGraphBuilder starts a worker that builds a graph, or gives null where there are no workers
 */
export class Upkeep {
  #engine;
  #spawn;
  #builder = null;
  #running = null;
  #isClosed = false;

  constructor(engine, spawnGraphBuilder) {
    this.#engine = engine;
    this.#spawn = spawnGraphBuilder;
  }

  /** Something has changed. */
  begin() {
    // What fails here fails again, and is told, when the user's next call saves.
    this.#running ??= this.#run().catch(() => {}).finally(() => (this.#running = null));
  }

  async #run() {
    await this.#engine.maintain();
    for (let job; !this.#isClosed && (job = this.#engine.nextGraph()); ) {
      this.#builder = this.#spawn();
      if (!this.#builder) return;
      try {
        const graph = await this.#builder.call("build", { vectors: job.vectors });
        // Vectors that have changed meanwhile: the next change begins anew.
        if (!graph || !this.#engine.setGraph(job.segment, graph)) return;
      } finally {
        this.#builder?.terminate(); // with the memory that building took
        this.#builder = null;
      }
      await this.#engine.maintain();
    }
  }

  close() {
    this.#isClosed = true;
    this.#builder?.terminate();
  }
}
