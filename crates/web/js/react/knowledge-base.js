// A knowledge base for a component and those below it.

import { useMemo, useSyncExternalStore } from "react";
import { Opened, OPENING, shared } from "./opened.js";

/** Opens a library by name, which components share, or without a name one in memory for this component. */
export function useKnowledgeBase(name, options) {
  const opened = useMemo(() => (name === null || name === undefined ? new Opened(() => opener(null, options)) : shared(name, () => opener(name, options))), [name]);
  const { kb, status, error } = useSyncExternalStore(opened.subscribe, () => opened.state, () => OPENING);
  return { kb, status, error, retry: opened.retry };
}

async function opener(name, { open, ...options } = /** @type {any} */ ({})) {
  if (open) return open(name, options);
  const { KnowledgeBase } = await import("../index.js");
  return name === null ? KnowledgeBase.memory(options) : KnowledgeBase.open(name, options);
}
