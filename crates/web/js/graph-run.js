// A run of the graph style, which accepts custom nodes and edges until it starts, after the code that created it.

import { invalid } from "./error.js";
import { func, shown, text } from "./options.js";
import { Run } from "./run.js";

/** Whether a value is a `result.state` or a checkpoint, and not the result of a node. */
const isState = (value) => typeof value.version === "number" && "pipeline" in value;

export class GraphRun extends Run {
  #parts;

  /** @param begin called with a function that takes events, and `{ nodes, edges, only }`; returns the promise of the result */
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

  /** Adds a node: `async (state, { signal }) => changes`. */
  addNode(name, run) {
    this.#open("addNode").nodes.push({ name: text("addNode's name", name), own: func(`addNode ${name}`, run) });
    return this;
  }

  /** Sets the successor of a node, by name or by a function `async (state, { signal }) => name`. */
  addEdge(from, to) {
    const target = typeof to === "function" ? { router: to } : { to: text("addEdge's end", to) };
    this.#open("addEdge").edges.push({ from: text("addEdge's beginning", from), ...target });
    return this;
  }

  /** Runs a single node, from a saved state or from given input. */
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

/** Returns the parts as data, with names in place of functions, and the functions by these names. */
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
