// A fixture's page in a real browser: a static host under a name that is not localhost, behind a proxy that sees
// every request.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { after } from "node:test";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import { ARGUMENTS, BROWSERS_OWN, ORIGIN } from "./demo.mjs";
import { startProxy } from "./proxy.mjs";
import { startStatic } from "./static.mjs";

const { VADEMECUM_FIXTURES: FIXTURES, VADEMECUM_SITE: SITE } = process.env;
if (!FIXTURES || !SITE) throw new Error("VADEMECUM_FIXTURES or VADEMECUM_SITE is not set: run `cargo xtask test fixtures`");

export const folder = (...names) => path.join(FIXTURES, ...names);
export const installed = (...names) => folder("node_modules", ...names);

/** What a static host can be told to send with every file, workers' scripts included. */
export const STRICT = { "content-security-policy": "script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'" };

const run = promisify(execFile);

/** Runs a program of Node's in a fixture's folder; what it printed. Its whole output is the error where it fails. */
export async function build(name, program, ...options) {
  const started = performance.now();
  const { stdout } = await run(process.execPath, [program, ...options], {
    cwd: folder(name),
    env: { ...process.env, NODE_ENV: undefined, NEXT_TELEMETRY_DISABLED: "1" },
    timeout: 300_000,
  }).catch((error) => {
    throw new Error(`${error.message}\n${error.stdout}\n${error.stderr}`);
  });
  return { stdout, seconds: (performance.now() - started) / 1000 };
}

/** The scripts of a built site that tell in which folder they were built, which is nobody's business. */
export async function telltales(site) {
  const scripts = (await readdir(site, { recursive: true })).filter((name) => /\.m?js$/.test(name));
  const texts = await Promise.all(scripts.map((name) => readFile(path.join(site, name), "utf8")));
  return scripts.filter((_, at) => texts[at].includes(FIXTURES));
}

/** What the common part of all fixtures comes to where there are workers. */
export const WORDS_ONLY = {
  words: ["cats.md"],
  extract: { answer: "Cats purr when they are content. [1]", by: "rule" },
  written: { answer: "Cats purr when they are content. [1]", by: "llm" },
  graphs: 1,
};
/** And where there is a model. */
export const EXPECTED = { ...WORDS_ONLY, meaning: { mode: "hybrid", ids: ["cats.md"] } };

/** A WebSocket of the page's own host asks the proxy for this. */
const SOCKET = `https://${new URL(ORIGIN).host}:80`;

let browser;
let through; // the address that the browser's requests are led to
const proxy = await startProxy({ get [new URL(ORIGIN).host]() { return through; } });
after(async () => {
  await browser?.close();
  proxy.close();
});

/** A static host of a built fixture at `at`, with model and runtime beside it. */
export function mounted(site, { at = "/", headers = {}, more = {} } = {}) {
  const mounts = { "": site, "models/": path.join(SITE, "models"), "ort/": path.join(SITE, "vademecum/ort"), ...more };
  return startStatic(Object.fromEntries(Object.entries(mounts).map(([name, from]) => [at + name, from])), headers);
}

/**
 * Opens the page of a fixture, built and mounted, and waits for its outcome. Fails where the page complained, or where
 * anything was asked of another origin or outside of `at`.
 */
export async function visit(site, options = {}) {
  const host = await mounted(site, options);
  try {
    return await visitServer(host.address, options);
  } finally {
    host.close();
  }
}

/** The same of a server that runs already, whose own complaints match `known`. */
export async function visitServer(address, { at = "/", known = /^$/ } = {}) {
  through = address;
  const before = proxy.seen.length;
  browser ??= await chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: ARGUMENTS,
    proxy: { server: proxy.address, bypass: "<-loopback>" },
  });
  const context = await browser.newContext(); // with a cache of its own
  try {
    const page = await context.newPage();
    const complaints = [];
    const requested = [];
    context.on("request", (request) => /^http/.test(request.url()) && requested.push(new URL(request.url())));
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type()) && !known.test(message.text())) complaints.push(message.text());
    });
    await page.goto(ORIGIN + at);
    const written = await page.waitForSelector("#outcome", { timeout: 120_000 })
      .then((place) => place.textContent(), ({ message }) => assert.fail([message, ...complaints].join("\n")));
    // What pages ask for is looked at without the exception for what Chromium itself asks for.
    const ofPages = requested.map(({ origin, pathname }) => ({ origin, path: pathname }));
    const asked = [...proxy.seen.slice(before).filter(({ origin }) => !BROWSERS_OWN.test(origin)), ...ofPages];
    const outside = asked.filter(({ origin, path }) => origin !== SOCKET && (origin !== ORIGIN || !path.startsWith(at)));
    assert.deepEqual({ complaints, outside }, { complaints: [], outside: [] }, written);
    return JSON.parse(written);
  } finally {
    await context.close();
  }
}
