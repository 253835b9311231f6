// The section of the page about libraries that are kept in the browser.

import { bytes, ms, number, table } from "../format.mjs";

/** A load above which times are overstated, as elsewhere on the page. */
const BUSY = 0.7;

const MODES = { vector: "meaning", keyword: "words", hybrid: "both" };

export function keptLibraries(results) {
  const all = Object.values(results ?? {}).sort((one, other) => one.passages - other.passages);
  if (all.length === 0) return null;
  const [{ maxMemory, rounds }] = all;
  const load = Math.max(...all.map((one) => one.load));
  const busy = load > BUSY ? `\n\n**The machine was busy with other work, at a load of up to ${load.toFixed(1)}: times are overstated, most of all the slowest.**` : "";
  const rows = all.flatMap((one) =>
    Object.entries(one.modes).map(([mode, { first, cold, warm, recall }]) => [
      number(one.passages), MODES[mode], ms(first), ms(cold.p50), ms(cold.p99), ms(warm.p50), ms(warm.p95), recall ? recall.toFixed(3) : "",
    ]),
  );
  return `## Libraries kept in the browser

A [library in parts](parts.md#what-is-stored-and-offline-use) after \`keep\`, in headless Chromium with a profile on the disk: its parts are files of the origin, which the reader's worker reads as questions
need them. Written by \`cargo xtask bench kept\`, of the libraries that \`bench parts\` has written; vectors of questions are given, so that no model is measured. Times are those that
the page waits, with the texts of ten hits. *First*: the first question after opening. *Cold*: questions that were not asked before; the system has the files in its own cache, so the disk's
time is not in it. *Warm*: all questions again, ${rounds} times. The reader keeps up to ${bytes(maxMemory)} of blocks in memory. Recall is that of the ten hits against an exact scan.${busy}

${table(["passages", "search by", "first", "cold: median", "P99", "warm: median", "P95", "recall@10"], rows)}

${table(
    ["passages", "set", "on the disk", "kept in", "opened in", "at most", "memory, opened", "memory, at the end", "questions", "load"],
    all.map((one) => [
      number(one.passages), one.name.replace(/^[\d,]+ passages:? ?/, ""), bytes(one.kept.bytes), `${Math.round(one.kept.seconds)} s`, ms(one.opened.median), ms(one.opened.most),
      bytes(one.memory.empty), bytes(one.memory.after), number(one.questions), one.load.toFixed(1),
    ]),
  )}

Memory is what the page's process has resident, with the browser's own code. Load is that of the machine when the measurement began.`;
}
