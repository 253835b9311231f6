// A search for what a component shows.

import { useEffect, useRef, useState } from "react";

const PAUSE = 100;
const IDLE = { status: "idle", hits: [], response: null, error: null };

/** Searches when the query, the source or the options change. Earlier hits stay until the next are there. */
export function useSearch(kb, query, options = /** @type {any} */ ({})) {
  const [state, setState] = useState(/** @type {any} */ (IDLE));
  const { debounceMs = PAUSE, ...given } = options;
  const latest = useRef(given);
  latest.current = given;
  // Objects are often written out in a component, and new in each render: their contents are compared.
  const contents = JSON.stringify(given);
  const text = (query ?? "").trim();
  useEffect(() => {
    if (!kb || text === "") {
      setState(IDLE);
      return undefined;
    }
    const abort = new AbortController();
    const told = (change) => !abort.signal.aborted && setState((before) => ({ ...before, ...change }));
    told({ status: "searching", error: null });
    const timer = setTimeout(() => {
      kb.search(text, { ...latest.current, signal: abort.signal }).then(
        (response) => told({ status: "ready", hits: response.hits, response }),
        // A query of punctuation alone finds nothing.
        (error) => told(error?.code === "empty_question" ? IDLE : { status: "failed", hits: [], response: null, error }),
      );
    }, debounceMs);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [kb, text, contents, debounceMs]);
  return state;
}
