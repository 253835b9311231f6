// A run of the graph style, which takes nodes and edges of the user's own until it begins, behind the code that made it.

import { invalid } from "./error.js";
import { func, shown, text } from "./options.js";
import { Run } from "./run.js";

/** Whether a value is what `result.state` or a checkpoint held, and not what a node would return. */
const isState = (value) => typeof value.version === "number" && "pipeline" in value;

export class GraphRun extends Run {
  #parts;

  /** @param begin given a function that takes events, and `{ nodes, edges, only }`, returns the promise of the result */
  constructor(begin) {
    /** @type {{ nodes: any[], edges: any[], only: Record<string, any> | null, begun: boolean }} */
    const parts = { nodes: [], edges: [], only: null, begun: false };
    super(async (onEvent) => {
      await null;
      parts.begun = true;
      return begin(onEvent, parts);
    });
    this.#parts = parts;
  }

  /** A node: `async (state, { signal }) => what it changes`. */
  addNode(name, run) {
    this.#open("addNode").nodes.push({ name: text("addNode's name", name), own: func(`addNode ${name}`, run) });
    return this;
  }

  /** What follows a node, by its name, or by a function `async (state, { signal }) => name` of the user's. */
  addEdge(from, to) {
    const target = typeof to === "function" ? { router: to } : { to: text("addEdge's end", to) };
    this.#open("addEdge").edges.push({ from: text("addEdge's beginning", from), ...target });
    return this;
  }

  /** Takes one node alone, from where a saved state is, or with what it is given in the place of that. */
  step(name, from) {
    const parts = this.#open("step");
    const only = (parts.only = { step: text("step's name", name) });
    if (from === undefined || from === null) return this;
    if (typeof from !== "object" || Array.isArray(from)) throw invalid("step's beginning", "a `state`, or an object of what the node is given", shown(from));
    Object.assign(only, { [isState(from) ? "state" : "given"]: JSON.parse(JSON.stringify(from)) });
    return this;
  }

  #open(what) {
    if (this.#parts.begun) throw invalid(what, "called before the run begins, in the same turn as `agent.graph(…)`", "called later");
    return this.#parts;
  }
}

/** The parts as data, with the names of functions in their place, and the functions by these names. */
export function partsOf({ nodes, edges, only }) {
  const functions = new Map();
  const named = (option, of, own) => {
    const name = `style.${of}.${option}`;
    functions.set(name, { option, own });
    return name;
  };
  const style = {
    ...(nodes.length > 0 && { nodes: nodes.map(({ name, own }) => ({ name, function: named("node", name, own) })) }),
    ...(edges.length > 0 && { edges: edges.map(({ from, to, router }) => (router ? { from, router: named("edge", from, router) } : { from, to })) }),
  };
  return { style, functions, ...(only && { only }) };
}
