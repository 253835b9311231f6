// A page with our reader, in a browser whose profile lies on the disk: in a private window, files would be read by way of another process.

import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { chromium } from "playwright-core";
import { writeApp } from "../parts/app.mjs";
import { startHost } from "../parts/host.mjs";

/** Bytes of blocks in the reader's memory. */
export const MEMORY = 128e6;

export const LAUNCH = {
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update"],
};

/** Reads the questions of a library, which `evaluate --parts` writes beside its manifest: their name, and the first `count` of them. */
export function questionsOf(library, count = Infinity) {
  const { name, questions } = JSON.parse(fs.readFileSync(path.join(library, "questions.json"), "utf8"));
  return { name, questions: questions.slice(0, count) };
}

/**
 * Serves the page and a library to a browser with an empty profile.
 * @param {{ module: string, library: string, work: string }} options
 * @param {Record<string, string>} [more] further folders by the beginning of their addresses
 */
export async function startTabs({ module, library, work }, more = {}) {
  const app = path.join(work, "app");
  const profile = path.resolve(work, "profile");
  fs.rmSync(profile, { recursive: true, force: true });
  await writeApp(path.resolve(module), app);
  const host = await startHost({ "/app/": app, "/library/": library, ...more });
  return {
    host,
    inBrowser: (work) => inBrowser(host, profile, work),
    close() {
      host.close();
      fs.rmSync(profile, { recursive: true, force: true });
    },
  };
}

/** Opens the page in a context; returns a function that runs another one on it, and rejects with the first error of the page. */
export async function openPage(context, { origin }) {
  context.setDefaultTimeout(0);
  const page = await context.newPage();
  const failed = new Promise((_, reject) => page.on("pageerror", reject));
  failed.catch(() => {});
  await page.goto(`${origin}/app/words.html`);
  await page.waitForFunction(() => globalThis.vademecum !== undefined);
  return (what, argument) => Promise.race([page.evaluate(what, argument), failed]);
}

/** Does `work` on the page in a new process of the browser, whose profile stays. */
async function inBrowser(host, profile, work) {
  const context = await chromium.launchPersistentContext(profile, LAUNCH);
  const ask = await openPage(context, host);
  try {
    return await work({ ask, memory: () => largestRenderer(profile) });
  } finally {
    await context.close();
  }
}

/** Keeps the library in the browser; returns its bytes, and the seconds that it took. */
export async function keep({ ask }) {
  const began = performance.now();
  const bytes = await ask(async (memory) => {
    const library = await globalThis.vademecum.attach("/library/manifest.json", { cache: false, maxMemory: memory });
    await library.keep();
    const { kept } = await library.stats();
    await library.close();
    return kept.bytes;
  }, MEMORY);
  return { bytes, seconds: (performance.now() - began) / 1000 };
}

/** On the page: opens the library in the place of the one before; returns the milliseconds until it can be asked. */
export async function open(memory) {
  await globalThis.library?.close();
  const began = performance.now();
  globalThis.library = await globalThis.vademecum.attach("/library/manifest.json", { cache: false, maxMemory: memory });
  return performance.now() - began;
}

/** Share of the nearest passages that are among the hits. */
export function recall(hits, nearest) {
  const found = hits.map((ids, at) => nearest[at].filter((id) => ids.includes(id)).length);
  return found.reduce((sum, count) => sum + count, 0) / nearest.reduce((sum, ids) => sum + ids.length, 0);
}

/** Returns the resident bytes of the page's process, the largest renderer of the browser with this profile; null where the system does not tell. */
function largestRenderer(profile) {
  const all = processes();
  const own = new Set(all.filter(({ args }) => args.includes(`--user-data-dir=${profile}`)).map(({ pid }) => pid));
  // Renderers are children of a process that the browser has started.
  for (let before = -1; before < own.size; ) {
    before = own.size;
    for (const { pid, parent } of all) if (own.has(parent)) own.add(pid);
  }
  const renderers = all.filter(({ pid, args }) => own.has(pid) && args.includes("--type=renderer"));
  return renderers.length > 0 ? Math.max(...renderers.map(({ resident }) => resident)) : null;
}

/** Returns the resident bytes of a process; null where the system does not tell. */
export const residentOf = (wanted) => processes().find(({ pid }) => pid === String(wanted))?.resident ?? null;

function processes() {
  try {
    const lines = execFileSync("ps", ["-eo", "pid=,ppid=,rss=,args="], { encoding: "utf8", maxBuffer: 1 << 26 }).split("\n");
    const all = lines.map((line) => /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(.*)$/.exec(line)).filter((one) => one !== null);
    return all.map(([, pid, parent, kilobytes, args]) => ({ pid, parent, resident: Number(kilobytes) * 1024, args }));
  } catch {
    return [];
  }
}
