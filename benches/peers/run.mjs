// Runs the comparisons, each in a process of its own, and writes what they measured as JSON and as a page with plots.
//   node run.mjs --out docs [--module target/site/vademecum] [--data DIR] [--vectors FILE] [--graph FILE] [--program FILE] [--library DIR …] [--native=PROGRAM --native=ARGUMENT …] [--chroma FILE] [--python FILE] [--quick] [SECTION …]
// Without --module only the peers are measured; without a section, all that can be. What a section needs and was not given ends the run
// before it begins. A measurement replaces its own last numbers only; a failed comparison keeps them and fails the run at its end.

import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { PEERS as KEYWORD_PEERS } from "./engines/keywords.mjs";
import { PEERS as VECTOR_PEERS } from "./engines/vectors.mjs";
import { writeReport } from "./report.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: "string" },
    module: { type: "string" },
    data: { type: "string" },
    vectors: { type: "string" },
    graph: { type: "string" },
    program: { type: "string" },
    library: { type: "string", multiple: true },
    native: { type: "string", multiple: true },
    chroma: { type: "string" },
    python: { type: "string", default: "python3" },
    quick: { type: "boolean", default: false },
    "report-only": { type: "boolean", default: false },
  },
});

/** What runs by each name, and what it cannot do without. */
const SECTIONS = {
  vectors: { parts: [vectors, large, sizes] },
  keywords: { parts: [keywords], needs: ["data"] },
  open: { parts: [open], needs: ["data"] },
  embedding: { parts: [embedding], needs: ["module"] },
  "first-hit": { parts: [firstHit], needs: ["module"] },
  page: { parts: [page], needs: ["module"] },
  pagefind: { parts: [pagefind], needs: ["module", "data", "program"] },
  "native-embedding": { parts: [nativeEmbedding], needs: ["native"] },
  parts: { parts: [inParts], needs: ["library"] },
  kept: { parts: [kept], needs: ["module", "library"] },
  line: { parts: [line], needs: ["module", "library"] },
  beside: { parts: [beside], needs: ["module", "library"] },
};
const NEEDED = {
  data: "labelled passages in BEIR's layout (`--data DIR`, with a `corpus.jsonl`)",
  library: "folders of libraries in parts, each with its questions (`--library DIR`; `cargo xtask bench parts`, `kept`, `line` and `beside` give them)",
  program: "the command-line program (`--program FILE`; `cargo xtask bench pagefind` gives it)",
  native: "the program that times the encoder outside a browser (`--native=FILE`; `cargo xtask bench native-embedding` gives it)",
  module: "the built package (`--module DIR`; `cargo xtask bench` gives it unless it is run with --peers-only)",
};

const [count, queries, rounds] = given.quick ? [500, 20, 1] : [10_000, 200, 5];
const file = path.join(given.out, "benchmarks.json");
const failures = [];
const results = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : {};

if (given["report-only"]) {
  if (!results.environment) throw new Error(`${file} holds no results: run the benchmarks first`);
} else {
  const wanted = positionals.length > 0 ? positionals : Object.keys(SECTIONS).filter((name) => ["module", "program", "library", "native"].every((need) => given[need] || !SECTIONS[name].needs?.includes(need)));
  const there = { data: hasData(), module: Boolean(given.module), program: Boolean(given.program), library: Boolean(given.library), native: Boolean(given.native) };
  const lacks = wanted.flatMap((name) => (SECTIONS[name].needs ?? []).filter((need) => !there[need]).map((need) => `${name} needs ${NEEDED[need]}`));
  if (lacks.length > 0) {
    console.error(`Nothing was measured: ${lacks.join("; ")}. Name the sections to run, if others are meant: ${Object.keys(SECTIONS).join(", ")}.`);
    process.exit(1);
  }
  // These have nothing of the package, whose version the page tells.
  if (!results.environment || wanted.some((name) => !["native-embedding", "parts"].includes(name))) results.environment = environment();
  for (const part of wanted.flatMap((name) => SECTIONS[name].parts)) part();
}
writeReport(results, given.out);
if (failures.length > 0) {
  console.error(`Not measured, and left as it was before: ${failures.join("; ")}`);
  process.exit(1);
}

function vectors() {
  fresh("vectors", Object.keys(VECTOR_PEERS));
  for (const peer of Object.keys(VECTOR_PEERS)) {
    const options = { peer, module: given.module, count, queries, rounds, vectors: given.vectors };
    keep("vectors", peer, measured(`${count} vectors, ${peer}`, "vectors.mjs", options));
  }
}

function large() {
  if (!given.module || !given.graph) return; // a quick run, or one of the peers alone
  const options = { module: given.module, graph: given.graph, count: 100_000, queries: queries / 2, rounds };
  replace("large", measured("100000 vectors, ours alone", "large.mjs", options));
}

function sizes() {
  const engines = [...(given.module ? ["vademecum"] : []), ...Object.keys(VECTOR_PEERS)];
  const counts = given.quick ? [250, 500] : [1000, 5000, 10_000];
  fresh("sizes", engines);
  for (const engine of engines) {
    const points = counts.map((count) => {
      const options = { engine, module: given.module, count, graph: engine === "vademecum" };
      const size = measured(`size of ${count} vectors, ${engine}`, "size.mjs", options);
      return size && { count, ...size };
    });
    keep("sizes", engine, points.every(Boolean) ? points : null);
  }
}

function keywords() {
  fresh("keywords", Object.keys(KEYWORD_PEERS));
  for (const peer of Object.keys(KEYWORD_PEERS)) {
    const options = { peer, module: given.module, data: given.data, rounds, queries: given.quick ? 20 : undefined };
    keep("keywords", peer, measured(`keywords, ${peer}`, "keywords.mjs", options));
  }
}

function open() {
  replace("open", measured("opening a library", "open.mjs", { module: given.module, data: given.data, count, rounds }));
}

function embedding() {
  // A passage takes a fifth of a second, five times a round.
  const options = { module: given.module, rounds, documents: given.quick ? 1 : 4 };
  replace("embedding", measured("embedding, in Chromium", "embedding.mjs", options));
}

function firstHit() {
  // A round takes some minutes, most of them the peer's.
  const options = { module: given.module, rounds: given.quick ? 1 : 3, passages: given.quick ? 20 : undefined };
  replace("firstHit", measured("the first hit, in Chromium", "first-hit.mjs", options));
}

function page() {
  replace("page", measured("the demo page, in Chromium", "page.mjs", { module: given.module, rounds }));
}

function pagefind() {
  const models = path.join(given.module, "../models");
  const work = path.join(given.module, "../../bench/parts");
  const options = { module: given.module, data: given.data, program: given.program, models, work, questions: given.quick ? 20 : undefined };
  replace("pagefind", measured("a library in parts against Pagefind, in Chromium", "parts.mjs", options));
}

function nativeEmbedding() {
  replace("nativeEmbedding", measured("embedding, outside a browser", "native.mjs", { command: given.native }));
}

/** Takes over what `evaluate --parts` has measured of each library. */
function inParts() {
  results.parts ??= {};
  for (const library of given.library) {
    const value = JSON.parse(fs.readFileSync(path.join(library, "measured.json"), "utf8"));
    keep("parts", value.name, value);
  }
}

function kept() {
  ofLibraries("kept", "a library kept in the browser", { rounds: given.quick ? 1 : rounds, questions: given.quick ? 20 : undefined });
}

function line() {
  ofLibraries("line", "a library behind a slow line", { quick: given.quick });
}

function beside() {
  const chroma = given.chroma && { module: given.chroma, python: given.python };
  ofLibraries("beside", "a library kept in the browser, beside others with its vectors", { rounds: given.quick ? 1 : rounds, questions: given.quick ? 20 : undefined, chroma });
}

/** Measures each library by the program of a section. */
function ofLibraries(section, what, options) {
  results[section] ??= {};
  const work = path.join(given.module, "../../bench", section);
  for (const library of given.library) {
    const value = measured(`${what}, ${path.basename(library)}`, `${section}.mjs`, { module: given.module, library, work, ...options });
    if (value) keep(section, String(value.passages), value);
  }
}

function hasData() {
  return given.data && fs.existsSync(path.join(given.data, "corpus.jsonl"));
}

/** Runs one comparison. One that fails gives null and is reported, and the others go on. */
function measured(what, script, options) {
  console.log(`▸ ${what}`);
  const run = spawnSync(
    process.execPath,
    ["--expose-gc", "--max-old-space-size=6000", path.join(here, script), JSON.stringify(options)],
    { encoding: "utf8", maxBuffer: 1 << 26, timeout: 30 * 60_000, stdio: ["ignore", "pipe", "pipe"] },
  );
  const last = run.stdout?.trim().split("\n").at(-1) ?? "";
  if (run.status === 0 && last.startsWith("{")) return JSON.parse(last);
  const why = run.error?.message ?? run.stderr.split("\n").find((line) => /Error|rror:/.test(line)) ?? `it ended with ${run.status}`;
  console.log(`  failed: ${why}`);
  failures.push(`${what}: ${why}`);
  return null;
}

/** Prepares a section for what these are measured as; numbers of others, which are measured no more, go. */
function fresh(section, names) {
  results[section] = Object.fromEntries(Object.entries(results[section] ?? {}).filter(([name]) => names.includes(name)));
}

function keep(section, name, value) {
  if (value === null) return;
  results[section][name] = value;
  save();
}

function replace(section, value) {
  if (value === null) return;
  results[section] = value;
  save();
}

function save() {
  fs.mkdirSync(given.out, { recursive: true });
  fs.writeFileSync(file, `${JSON.stringify(results, rounded, 1)}\n`);
}

/** Six digits are more than the clock is worth. */
function rounded(_, value) {
  return typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(6)) : value;
}

function environment() {
  const { devDependencies: peers } = JSON.parse(fs.readFileSync(path.join(here, "package.json"), "utf8"));
  const own = given.module && JSON.parse(fs.readFileSync(path.join(given.module, "package.json"), "utf8")).version;
  return {
    node: process.versions.node,
    cores: os.cpus().length,
    arch: process.arch === "x64" ? "x86_64" : process.arch,
    quick: given.quick,
    own: own ?? null,
    peers,
  };
}
