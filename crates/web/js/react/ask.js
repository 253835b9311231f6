// Questions and answers for a component.

import { useCallback, useEffect, useRef, useState } from "react";
import { Asker } from "../elements/asker.js";

const IDLE = { status: "idle", question: "", answer: "", citations: [], events: [], result: null, error: null };

/** Returns the state after an event of the run. */
function after(state, event) {
  const next = { ...state, events: [...state.events, event] };
  if (event.type === "draft") return { ...next, answer: event.text, isDraft: true };
  if (event.type === "token") return { ...next, answer: state.isDraft ? event.text : state.answer + event.text, isDraft: false };
  if (event.type === "failed" && event.fallback) return { ...next, answer: "" }; // the step begins anew by a rule
  return event.type === "citation" ? { ...next, citations: [...state.citations, event.citation] } : next;
}

/** Returns the state at the end of a run. */
function ended(state, result) {
  const status = { aborted: "stopped", clarify: "clarify", error: "failed" }[result.terminatedBy] ?? "done";
  const answer = status === "stopped" ? (result.partial ?? state.answer) : (result.answer ?? "");
  return { ...state, status, answer, citations: result.citations, result, error: result.error };
}

/** Asks a knowledge base. One run at a time: the next question stops the one before it, and so does unmounting. */
export function useAsk(kb, options = /** @type {any} */ ({})) {
  const [state, setState] = useState(/** @type {any} */ (IDLE));
  const latest = useRef({ kb, options });
  latest.current = { kb, options };
  const asker = useRef(/** @type {Asker | null} */ (null));
  const running = useRef(/** @type {AbortController | null} */ (null));
  const waiting = useRef(/** @type {any} */ (null));

  const stop = useCallback(() => running.current?.abort(), []);
  useEffect(() => stop, [stop]);

  const ask = useCallback(async (question) => {
    stop();
    const abort = (running.current = new AbortController());
    const isCurrent = () => running.current === abort;
    const change = (how) => isCurrent() && setState(how);
    const reply = waiting.current;
    waiting.current = null;
    change({ ...IDLE, status: "running", question });
    try {
      const { kb, options: { llm, ...rest } } = latest.current;
      if (!kb) throw new Error("The knowledge base is not open yet. Ask when `useKnowledgeBase` returns one.");
      const run = await (asker.current ??= new Asker()).begin(kb, llm, rest, { question, waiting: reply, signal: abort.signal });
      for await (const event of run) change((before) => after(before, event));
      const result = await run.result;
      if (!isCurrent()) return null;
      waiting.current = result.terminatedBy === "clarify" ? result.state : null;
      change((before) => ended(before, result));
      return result;
    } catch (error) {
      if (isCurrent()) waiting.current = reply; // the next attempt is a reply as well
      change((before) => ({ ...before, status: "failed", error }));
      return null;
    }
  }, [stop]);

  const { isDraft, ...shown } = state;
  return { ...shown, ask, stop };
}
