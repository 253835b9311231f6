// Begins runs for the element and for the hook that ask: with an agent that is kept until what it was made of changes.

/** Options of an agent; the others are those of a run. */
const OF_THE_AGENT = ["model", "budget", "onBeforeSend", "onBeforeTool"];

export class Asker {
  /** @type {{ parts: any[], agent: any } | null} */
  #kept = null;

  /**
   * Begins a run, or goes on with one that asked back.
   * @param {any} source the knowledge base @param {any} llm
   * @param {Record<string, any>} options `run(agent, question, options)` begins it in another way
   * @param {{ question: string, waiting?: any, signal: AbortSignal }} asked
   * @returns {Promise<import("../run.js").Run>}
   */
  async begin(source, llm, options, { question, waiting, signal }) {
    const { run, ...rest } = options;
    const ofAgent = Object.entries({ llm: llm ?? undefined, ...rest }).filter(([name, value]) => (name === "llm" || OF_THE_AGENT.includes(name)) && value !== undefined);
    const ofRun = Object.fromEntries(Object.entries(rest).filter(([name]) => !OF_THE_AGENT.includes(name)));
    const { Agent } = await import("../agent.js");
    const parts = [source, ...ofAgent.flat()];
    if (this.#kept?.parts.length !== parts.length || !parts.every((part, at) => part === this.#kept?.parts[at])) {
      this.#kept = { parts, agent: new Agent(source, Object.fromEntries(ofAgent)) };
    }
    const { agent } = this.#kept;
    if (waiting) return agent.resume(waiting, question, { signal });
    return run ? run(agent, question, { ...ofRun, signal }) : agent.pipeline(question, ofRun).search().answer().ground().run({ signal });
  }
}
