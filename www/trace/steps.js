// Converts a run's events to steps, as plain data for drawing.

/**
 * One row per step: `{ key, name, from, to, by, metadata, thoughts, failures, items, suspicions }`. `to` is null while the step runs.
 * `items` are calls, `{ kind: "llm" | "search" | "tool", from, to, call, entry? }`, and requests without a reply yet, of the kind `wait`.
 */
export function stepsOf(events, result = null) {
  const rows = [];
  let open = null;
  const begin = (name, from) => {
    const row = { key: rows.length, name, from, to: null, by: null, metadata: null, thoughts: [], failures: [], items: [], sent: [], suspicions: [] };
    rows.push(row);
    return row;
  };
  /** Returns the row of an event; events between two steps have a row of their own. */
  const rowOf = ({ step, at }, from = at) => {
    if (open) return open;
    const last = rows.at(-1);
    const row = last?.name === step && last.isBetween ? last : Object.assign(begin(step, from), { isBetween: true });
    row.to = at;
    return row;
  };
  for (const event of events) {
    const { type, at } = event;
    if (type === "start") open = begin(event.step, at);
    else if (type === "stop") {
      const { by = null, ...metadata } = event.metadata ?? {};
      Object.assign(rowOf(event), { to: at, by, metadata });
      open = null;
    } else if (type === "failed") {
      const row = rowOf(event);
      row.failures.push({ error: event.error, fallback: event.fallback });
      if (event.fallback === undefined) {
        row.to = at;
        open = null;
      }
    } else if (type === "tool") {
      const { call } = event;
      const from = Math.max(0, at - call.durationMs);
      const row = rowOf(event, from);
      const kind = call.tool === "llm" ? "llm" : Array.isArray(call.result?.chunks) ? "search" : "tool";
      row.items.push({ kind, from, to: at, call, entry: kind === "llm" ? takeEntry(row, call) : undefined });
    } else if (type === "send") rowOf(event).sent.push(event.entry);
    else if (type === "suspicion") rowOf(event).suspicions.push(event.suspicion);
    else if (type === "done" && open) open.to = at;
  }
  for (const row of rows) {
    for (const entry of row.to === null ? row.sent : []) if (entry.sent) row.items.push({ kind: "wait", from: entry.at, to: null, entry });
    row.items.sort((a, b) => a.from - b.from);
    delete row.sent;
  }
  shareOut(result?.reasoningTrace ?? [], rows);
  return rows;
}

/** Returns a call's request in the ledger: the one with the same messages, or else the first unassigned one, because the user may have changed it. */
function takeEntry(row, call) {
  const said = ({ messages = [] } = {}) => JSON.stringify(messages.map(({ role, content }) => [role, content]));
  const asked = said(call.arguments.request);
  const same = row.sent.findIndex((entry) => said(entry.request) === asked);
  const at = same >= 0 ? same : row.sent.findIndex(({ changed }) => changed);
  return at < 0 ? undefined : row.sent.splice(at, 1)[0];
}

/** Assigns reasoning to rows, from the end, because the trace of a resumed run starts before its rows. */
function shareOut(trace, rows) {
  let at = rows.length - 1;
  for (const thought of [...trace].reverse()) {
    let row = at;
    while (row >= 0 && rows[row].name !== thought.step) row -= 1;
    if (row < 0) continue;
    rows[row].thoughts.unshift(thought);
    at = row;
  }
}

/** Returns the usage so far; for a finished run, that of its result. */
export function spentBy({ events, result, begun }, now = Date.now()) {
  const calls = events.filter(({ type }) => type === "tool").map(({ call }) => call);
  const usages = calls.filter(({ tool }) => tool === "llm").map(({ result: said }) => said?.usage).filter(Boolean);
  const sum = (name) => usages.reduce((total, usage) => total + (usage[name] ?? 0), 0);
  const done = events.findLast(({ type }) => type === "done");
  const usage = result?.usage ?? {
    llmCalls: events.filter(({ type, entry }) => type === "send" && entry.sent).length,
    promptTokens: sum("promptTokens"),
    completionTokens: sum("completionTokens"),
    estimated: usages.some(({ estimated }) => estimated),
  };
  return {
    llmCalls: usage.llmCalls,
    tokens: usage.promptTokens + usage.completionTokens,
    estimated: usage.estimated,
    toolCalls: calls.filter(({ result: said }) => Array.isArray(said?.chunks)).length,
    ms: done?.durationMs ?? now - begun,
  };
}
