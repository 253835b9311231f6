// Coalesces frequent calls.

/** Calls `work`; all calls during a run are served by one more run after it. */
export function coalesce(work) {
  let running = null;
  let next = null;
  return function call() {
    if (running) return (next ??= running.catch(() => {}).then(() => ((next = null), call())));
    running = work().finally(() => (running = null));
    return running;
  };
}
