// The work behind the scenes: merging segments, building graphs, saving both. Nobody waits for it.

/**
 * @param engine the wasm module's
 * @param spawnGraphBuilder starts a worker that builds a graph, or gives null where there are no workers
 */
export class Upkeep {
  #engine;
  #spawn;
  /** @type {ReturnType<typeof import("./attach.js").attach> | null} */
  #builder = null;
  #isRunning = false;
  #isClosed = false;
  #again = false;
  #failed = new Set();

  constructor(engine, spawnGraphBuilder) {
    this.#engine = engine;
    this.#spawn = spawnGraphBuilder;
  }

  /** Something has changed. */
  begin() {
    this.#again = true;
    // What fails here fails again, and is told, when the user's next call saves.
    if (this.#isRunning) return;
    this.#isRunning = true;
    void this.#run()
      .catch(() => {})
      .finally(() => {
        this.#isRunning = false;
        if (this.#again && !this.#isClosed) this.begin(); // it came while the last round ended
      });
  }

  async #run() {
    while (this.#again && !this.#isClosed) {
      this.#again = false;
      await this.#engine.maintain();
      await this.#buildGraphs();
    }
  }

  async #buildGraphs() {
    for (let job; !this.#isClosed && (job = this.#engine.nextGraph()); ) {
      if (this.#failed.has(job.segment)) return; // it would fail again, after minutes
      this.#builder = this.#spawn();
      if (!this.#builder) return;
      try {
        const graph = await this.#builder.call("build", { vectors: job.vectors });
        // Vectors that have changed meanwhile are merged, or have a graph built anew.
        if (!graph || !this.#engine.setGraph(job.segment, graph)) return;
      } catch (error) {
        this.#failed.add(job.segment);
        throw error;
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
