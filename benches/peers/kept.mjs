// A library in parts that is kept in the browser: how long it takes to open, and how long questions take whose blocks lie on the disk or in memory. In
// headless Chromium with a profile on the disk: in a private window, files would be read by way of another process. Prints one JSON object.
//   node kept.mjs '{"module": "…/site/vademecum", "library": "…/bench/parts/100,000", "work": "…/bench/kept", "rounds": 5}'
// The library has a `questions.json` beside its manifest, as `evaluate --parts` writes it.

import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { chromium } from "playwright-core";
import { median, quantile } from "./measure.mjs";
import { startHost } from "./parts/host.mjs";
import { writeApp } from "./parts/app.mjs";

/** Bytes of blocks in the reader's memory. */
const MEMORY = 128e6;
/** How often the library is opened anew. */
const OPENED = 5;

const options = JSON.parse(process.argv[2]);
const load = os.loadavg()[0];
const asked = JSON.parse(fs.readFileSync(path.join(options.library, "questions.json"), "utf8"));
const questions = asked.questions.slice(0, options.questions);
const app = path.join(options.work, "app");
const profile = path.resolve(options.work, "profile");
fs.rmSync(profile, { recursive: true, force: true });
await writeApp(path.resolve(options.module), app);
const host = await startHost({ "/app/": app, "/library/": options.library });

const kept = await inBrowser(async ({ ask }) => {
  const began = performance.now();
  const bytes = await ask(async (memory) => {
    const library = await globalThis.vademecum.attach("/library/manifest.json", { cache: false, maxMemory: memory });
    await library.keep();
    const { kept } = await library.stats();
    await library.close();
    return kept.bytes;
  }, MEMORY);
  return { bytes, seconds: (performance.now() - began) / 1000 };
});
// In another process, whose memory has nothing of the download.
const measured = await inBrowser(async ({ ask, memory }) => {
  const opened = [];
  for (let n = 0; n < OPENED; n++) opened.push(await ask(open, MEMORY));
  const empty = memory();
  const modes = {};
  for (const mode of ["vector", "keyword", "hybrid"]) {
    // Anew, so that no arm finds what another has read.
    await ask(open, MEMORY);
    const first = await ask(times, { mode, questions: questions.slice(0, 1) });
    const cold = await ask(times, { mode, questions: questions.slice(1) });
    const rounds = [];
    for (let n = 0; n < options.rounds; n++) rounds.push(...(await ask(times, { mode, questions })).ms);
    const all = [...first.hits, ...cold.hits];
    modes[mode] = {
      first: first.ms[0],
      cold: { p50: median(cold.ms), p99: quantile(cold.ms, 0.99) },
      warm: { p50: median(rounds), p95: quantile(rounds, 0.95) },
      ...(mode === "vector" && { recall: recall(all) }),
    };
  }
  const { fetched, passages } = await ask(async () => {
    const { fetched, chunks } = await globalThis.library.stats();
    return { fetched, passages: chunks };
  });
  if (fetched.bytes > 0) throw new Error(`${fetched.bytes} bytes were fetched from the host, though the library is kept`);
  return { passages, opened: { median: median(opened), most: Math.max(...opened) }, modes, memory: { empty, after: memory() } };
});
host.close();
fs.rmSync(profile, { recursive: true, force: true });
console.log(JSON.stringify({ name: asked.name, load, questions: questions.length, rounds: options.rounds, maxMemory: MEMORY, kept, ...measured }));
process.exit(0);

/** Opens the library in the place of the one before; returns the milliseconds until it can be asked. */
async function open(memory) {
  await globalThis.library?.close();
  const began = performance.now();
  globalThis.library = await globalThis.vademecum.attach("/library/manifest.json", { cache: false, maxMemory: memory });
  return performance.now() - began;
}

/** Asks questions one after the other; returns the milliseconds that the page waited for each, and the ids of its hits. */
async function times({ mode, questions }) {
  const [ms, hits] = [[], []];
  for (const { text, vector } of questions) {
    const own = mode === "keyword" ? {} : { vector };
    const began = performance.now();
    const found = await globalThis.library.search(text, { mode, limit: 10, threshold: -1, ...own });
    ms.push(performance.now() - began);
    if (found.missing?.length > 0) throw new Error(JSON.stringify(found.missing));
    hits.push(found.hits.map(({ id }) => id));
  }
  return { ms, hits };
}

/** Share of the nearest passages that are among the hits. */
function recall(hits) {
  const found = hits.map((ids, at) => questions[at].nearest.filter((id) => ids.includes(id)).length);
  return found.reduce((sum, count) => sum + count, 0) / questions.reduce((sum, { nearest }) => sum + nearest.length, 0);
}

/** Does `work` on the page in a new process of the browser, whose profile stays. */
async function inBrowser(work) {
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update"],
  });
  context.setDefaultTimeout(0);
  const page = await context.newPage();
  const failed = new Promise((_, reject) => page.on("pageerror", reject));
  failed.catch(() => {});
  await page.goto(`${host.origin}/app/words.html`);
  await page.waitForFunction(() => globalThis.vademecum !== undefined);
  const ask = (what, argument) => Promise.race([page.evaluate(what, argument), failed]);
  try {
    return await work({ ask, memory: largestRenderer });
  } finally {
    await context.close();
  }
}

/** Returns the resident bytes of the page's process, the largest renderer of the browser with this profile; null where the system does not tell. */
function largestRenderer() {
  try {
    const lines = execFileSync("ps", ["-eo", "pid=,ppid=,rss=,args="], { encoding: "utf8", maxBuffer: 1 << 26 }).split("\n");
    const all = lines.map((line) => /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(.*)$/.exec(line)).filter((one) => one !== null);
    const own = new Set(all.filter(([, , , , args]) => args.includes(`--user-data-dir=${profile}`)).map(([, pid]) => pid));
    // Renderers are children of a process that the browser has started.
    for (let before = -1; before < own.size; ) {
      before = own.size;
      for (const [, pid, parent] of all) if (own.has(parent)) own.add(pid);
    }
    const renderers = all.filter(([, pid, , , args]) => own.has(pid) && args.includes("--type=renderer"));
    return renderers.length > 0 ? Math.max(...renderers.map(([, , , rss]) => Number(rss) * 1024)) : null;
  } catch {
    return null;
  }
}
