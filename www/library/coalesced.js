// Work that is asked for much more often than it has to be done.

/** Calls `work`; all calls that come while it is at work are answered by one more, after it. */
export function coalesced(work) {
  let running = null;
  let next = null;
  return function call() {
    if (running) return (next ??= running.catch(() => {}).then(() => ((next = null), call())));
    running = work().finally(() => (running = null));
    return running;
  };
}
