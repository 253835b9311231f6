// Background work: merging segments, building graphs, and saving both.

/**
 * @param engine the wasm module's
 * @param spawnGraphBuilder starts a worker that builds a graph, or returns null without workers
 * @param options `calibrates`: whether the embedder may be called in the background
 */
export class Upkeep {
  #engine;
  #calibrates;
  #spawn;
  /** @type {ReturnType<typeof import("./attach.js").attach> | null} */
  #builder = null;
  #isRunning = false;
  #isClosed = false;
  #again = false;
  #failed = new Set();

  constructor(engine, spawnGraphBuilder, { calibrates = false } = {}) {
    this.#engine = engine;
    this.#calibrates = calibrates;
    this.#spawn = spawnGraphBuilder;
  }

  /** Called after every change. */
  begin() {
    this.#again = true;
    // An error here happens again, and is reported, when the user's next call saves.
    if (this.#isRunning) return;
    this.#isRunning = true;
    void this.#run()
      .catch(() => {})
      .finally(() => {
        this.#isRunning = false;
        if (this.#again && !this.#isClosed) this.begin(); // requested while the last round ended
      });
  }

  async #run() {
    while (this.#again && !this.#isClosed) {
      this.#again = false;
      await this.#engine.maintain(this.#calibrates);
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
        // Vectors that changed meanwhile are merged, or get a new graph.
        if (!graph || !this.#engine.setGraph(job.segment, graph)) return;
      } catch (error) {
        this.#failed.add(job.segment);
        throw error;
      } finally {
        this.#builder?.terminate(); // frees the memory of the build
        this.#builder = null;
      }
      await this.#engine.maintain(this.#calibrates);
    }
  }

  close() {
    this.#isClosed = true;
    this.#builder?.terminate();
  }
}
