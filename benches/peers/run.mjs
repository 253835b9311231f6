// Runs the comparisons, each in a process of its own, and writes what they measured as JSON and as a page with plots.
//   node run.mjs --out docs [--module target/site/vademecum] [--data DIR] [--vectors FILE] [--graph FILE] [--quick] [SECTION …]
// Without --module only the peers are measured; without a section, all of them; sections that do not run keep their last numbers.

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
    quick: { type: "boolean", default: false },
    "report-only": { type: "boolean", default: false },
  },
});

const NO_GRAPH =
  "no graph built natively was given (`--graph FILE`, over the vectors that `node benches/peers/synthetic.mjs 100000 FILE` writes)";
const NO_DATA = "the labelled passages were not there (`--data DIR`)";

const NO_MODULE = "there was no package to run (`--module DIR`)";

const SECTIONS = { vectors, large, sizes, keywords, open, embedding, "first-hit": firstHit };
const GROUPS = {
  vectors: ["vectors", "large", "sizes"],
  keywords: ["keywords"],
  open: ["open"],
  embedding: ["embedding"],
  "first-hit": ["first-hit"],
};

const [count, queries, rounds] = given.quick ? [2000, 40, 2] : [10_000, 200, 5];
const file = path.join(given.out, "benchmarks.json");
const results = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : {};

if (given["report-only"]) {
  if (!results.environment) throw new Error(`${file} holds no results: run the benchmarks first`);
} else {
  results.environment = environment();
  const wanted = positionals.length > 0 ? positionals : Object.keys(GROUPS);
  for (const name of wanted.flatMap((group) => GROUPS[group])) SECTIONS[name]();
}
writeReport(results, given.out);

function vectors() {
  results.vectors = {};
  for (const peer of Object.keys(VECTOR_PEERS)) {
    const options = { peer, module: given.module, count, queries, rounds, vectors: given.vectors };
    keep("vectors", peer, measured(`${count} vectors, ${peer}`, "vectors.mjs", options));
  }
}

function large() {
  if (!given.module || !given.graph) {
    results.large = { skipped: NO_GRAPH };
    return;
  }
  const options = { module: given.module, graph: given.graph, count: 100_000, queries: queries / 2, rounds };
  results.large = measured("100000 vectors, ours alone", "large.mjs", options);
  save();
}

function sizes() {
  results.sizes = {};
  const engines = [...(given.module ? ["vademecum"] : []), ...Object.keys(VECTOR_PEERS)];
  const counts = given.quick ? [500, 1000, 2000] : [1000, 5000, 10_000];
  for (const engine of engines) {
    const points = counts.map((count) => {
      const options = { engine, module: given.module, count, graph: engine === "vademecum" };
      return { count, ...measured(`size of ${count} vectors, ${engine}`, "size.mjs", options) };
    });
    keep("sizes", engine, points);
  }
}

function keywords() {
  if (!hasData()) {
    results.keywords = { skipped: NO_DATA };
    return;
  }
  results.keywords = {};
  for (const peer of Object.keys(KEYWORD_PEERS)) {
    const options = { peer, module: given.module, data: given.data, rounds, queries: given.quick ? 20 : undefined };
    keep("keywords", peer, measured(`keywords, ${peer}`, "keywords.mjs", options));
  }
}

function open() {
  if (!hasData()) {
    results.open = { skipped: NO_DATA };
    return;
  }
  results.open = measured("opening a library", "open.mjs", { module: given.module, data: given.data, count, rounds });
  save();
}

function embedding() {
  // A passage takes a fifth of a second, five times a round.
  const options = { module: given.module, rounds, documents: given.quick ? 1 : 4 };
  results.embedding = given.module ? measured("embedding, in Chromium", "embedding.mjs", options) : { skipped: NO_MODULE };
  save();
}

function firstHit() {
  // A round takes some minutes, most of them the peer's.
  const options = { module: given.module, rounds: given.quick ? 1 : 3, passages: given.quick ? 20 : undefined };
  results.firstHit = given.module ? measured("the first hit, in Chromium", "first-hit.mjs", options) : { skipped: NO_MODULE };
  save();
}

function hasData() {
  return given.data && fs.existsSync(path.join(given.data, "corpus.jsonl"));
}

/** Runs one comparison; one that fails is reported, and the others go on. */
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
  return { failed: why };
}

function keep(section, name, value) {
  results[section][name] = value;
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
