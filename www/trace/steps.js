// What a run did, step by step, from its events: plain data, for whoever draws it.

/**
 * One row a step: `{ key, name, from, to, by, metadata, thoughts, failures, items, suspicions }`. `to` is null while it goes on.
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
  /** The row that an event belongs to: what comes between two steps has one of its own. */
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

/** The request of a call in the ledger: the same messages, or the first that is left, for a person may have changed them. */
function takeEntry(row, call) {
  const said = ({ messages = [] } = {}) => JSON.stringify(messages.map(({ role, content }) => [role, content]));
  const asked = said(call.arguments.request);
  const same = row.sent.findIndex((entry) => said(entry.request) === asked);
  const at = same >= 0 ? same : row.sent.findIndex(({ changed }) => changed);
  return at < 0 ? undefined : row.sent.splice(at, 1)[0];
}

/** Gives each row what was thought in it. From the end, because the trace of a run that was gone on with begins before its rows. */
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

/** What was spent so far: of a run that has ended, what it says itself. */
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
