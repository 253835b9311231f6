// The sections of the page about libraries in parts in a browser: kept there, behind a slow line, and beside other engines.

import { bytes, ms, number, table } from "../format.mjs";

/** A load above which times are overstated, as elsewhere on the page. */
const BUSY = 0.7;

const MODES = { vector: "meaning", keyword: "words", hybrid: "both" };

const bySize = (results) => Object.values(results ?? {}).sort((one, other) => one.passages - other.passages);

/** Returns a warning if the machine was busy. */
function busy(all) {
  const load = Math.max(...all.map((one) => one.load));
  return load > BUSY ? `\n\n**The machine was busy with other work, at a load of up to ${load.toFixed(1)}: times are overstated, most of all the slowest.**` : "";
}

export function keptLibraries(results) {
  const all = bySize(results);
  if (all.length === 0) return null;
  const [{ maxMemory, rounds, ahead }] = all;
  const later = ahead ? `, from ${ms(ahead)} after the first one on, in which the reader reads ahead` : "";
  const rows = all.flatMap((one) =>
    Object.entries(one.modes).map(([mode, { first, cold, warm, recall }]) => [
      number(one.passages), MODES[mode], ms(first), ms(cold.p50), ms(cold.p99), ms(warm.p50), ms(warm.p95), recall ? recall.toFixed(3) : "",
    ]),
  );
  return `## Libraries kept in the browser

A [library in parts](parts.md#what-is-stored-and-offline-use) after \`keep\`, in headless Chromium with a profile on the disk: its parts are files of the origin, which the reader's worker reads as questions
need them. Written by \`cargo xtask bench kept\`, of the libraries that \`bench parts\` has written; vectors of questions are given, so that no model is measured. Times are those that
the page waits, with the texts of ten hits. *First*: the first question after opening. *Cold*: questions that were not asked before${later}; the system has the files in its own cache, so the disk's
time is not in it. *Warm*: all questions again, ${rounds} times. The reader keeps up to ${bytes(maxMemory)} of blocks in memory. Recall is that of the ten hits against an exact scan.${busy(all)}

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

export function behindLine(results) {
  const all = bySize(results);
  if (all.length === 0) return null;
  const [{ first, later }] = all;
  const named = ({ bits, roundTrip }) => `${bits / 1e6} Mbit/s, ${roundTrip} ms`;
  const rows = all.flatMap(({ passages, lines }) =>
    lines.flatMap((line) =>
      Object.entries(line.modes).map(([mode, { first, later }]) => [
        number(passages), named(line), MODES[mode], ms(first.ms), ms(first.attached), bytes(first.bytes), number(first.requests),
        ms(later.ms), ms(later.p90), bytes(later.bytes), number(later.requests),
      ]),
    ),
  );
  return `## A static host behind a slow line

A [library in parts](parts.md) on a static host whose answers come over a line of so many bits in a second, and with so many milliseconds of a round trip: one for each request, and
two more for each new connection, of which a browser makes six to a host of HTTP/1.1. Headless Chromium. *First hits*: the median of ${number(first)} pages with empty caches, from the
page's address to the texts of ten hits, with the page, its scripts and the module, compressed with brotli; *attached*: until the library can be asked. *Later hits*: ${number(later)} questions
on one page, one after the other. Vectors of questions are given, so that no model is fetched. Written by \`cargo xtask bench line\`.${busy(all)}

${table(["passages", "line", "search by", "first hits", "attached", "sent", "requests", "later hits", "P90", "sent", "requests"], rows)}`;
}

const NAMES = { vademecum: "vademecum, kept on the disk", "hnswlib-wasm": "hnswlib-wasm, in memory", chroma: "Chroma, a server on the same machine" };

export function besideOthers(results) {
  const all = bySize(results);
  if (all.length === 0) return null;
  const rows = all.flatMap(({ passages, engines }) =>
    Object.entries(NAMES).filter(([name]) => engines[name] && !engines[name].missing).map(([name, shown]) => {
      const { setting, p50, p95, recall, memory, build } = engines[name];
      return [number(passages), setting ? `${shown}, ${setting}` : shown, ms(p50), ms(p95), recall.toFixed(3), bytes(memory), build ? `${Math.round(build)} s` : ""];
    }),
  );
  const missing = all.flatMap(({ passages, engines }) =>
    Object.entries(engines).filter(([, one]) => one.missing).map(([name, { missing, reserved }]) => {
      const room = reserved ? ` Room for so many was reserved in it: ${bytes(reserved)}.` : "";
      return `${`${name} with ${number(passages)} vectors was not measured: ${missing}.`}${room}`;
    }),
  );
  const overheads = all.filter(({ engines }) => engines.chroma?.overhead).map(({ passages, engines }) => {
    const { median, quartiles, bare, empty, pairs } = engines.chroma.overhead;
    return `With ${number(passages)} vectors, a question to Chroma through the package takes ${ms(median)} more than the same request by \`fetch\`, which takes ${ms(bare)}: the median of ${number(pairs)} pairs, with quartiles of ${quartiles.map(ms).join(" and ")}. A question to an empty library takes ${ms(empty)}.`;
  });
  const overhead = overheads.length > 0 ? `\n\n${overheads.join(" ")} The embedder is a function that has the vectors, and is called by message as well.` : "";
  return `## Kept libraries beside other engines

The ten nearest of the same vectors of 384, in one tab of headless Chromium, one engine after the other in alternating order, ${number(all[0].rounds)} rounds after one that is not counted. Ours is a
library kept on the disk, asked in its worker, and answers with the texts of its hits; hnswlib-wasm (M 16, efConstruction 200) is called on the page, with the least \`efSearch\` whose recall is at
least 0.95; Chroma has its own settings, and is asked by HTTP over loopback; both answer with ids alone. Recall is that of the ten hits against an exact scan. Memory: what the tab's process had resident
more after our questions, and after the peer was filled; of Chroma, that of its server. *Filled*: adding all vectors. Written by \`cargo xtask bench beside\`.${busy(all)}

${table(["passages", "engine", "median", "P95", "recall@10", "memory", "filled in"], rows)}${overhead}${missing.length > 0 ? `\n\n${missing.join(" ")}` : ""}`;
}
