// A fixture's page in a real browser: served by a static host under a name other than localhost, behind a proxy that records
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

const { VADEMECUM_FIXTURES: FIXTURES, VADEMECUM_SITE = "" } = process.env;
/** The folder of the demo, with the model. */
export const SITE = VADEMECUM_SITE;
if (!FIXTURES || !SITE) throw new Error("VADEMECUM_FIXTURES or VADEMECUM_SITE is not set: run `cargo xtask test fixtures`");

export const folder = (...names) => path.join(FIXTURES, ...names);
export const installed = (...names) => folder("node_modules", ...names);

/** Headers with a strict policy, for all files of a static host including the scripts of workers. */
export const STRICT = { "content-security-policy": "script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'" };

const run = promisify(execFile);

/** Runs a Node program in a fixture's folder, and returns its output and duration. Throws an error with the whole output if it fails. */
export const build = (name, program, ...options) => buildBy(process.execPath, name, [program, ...options]);

/** Runs a program such as Node with arguments in a fixture's folder. */
export async function buildBy(runtime, name, options) {
  const started = performance.now();
  const { stdout } = await run(runtime, options, {
    cwd: folder(name),
    env: { ...process.env, NODE_ENV: undefined, NEXT_TELEMETRY_DISABLED: "1" },
    timeout: 300_000,
    maxBuffer: 64 * 2 ** 20, // some bundlers quote whole minified lines in warnings
  }).catch((error) => {
    throw new Error(`${error.message}\n${error.stdout}\n${error.stderr}`);
  });
  return { stdout, seconds: (performance.now() - started) / 1000 };
}

/** Returns the scripts of a built site that contain the path of the build folder, which must not be published. */
export async function telltales(site) {
  const scripts = (await readdir(site, { recursive: true })).filter((name) => /\.m?js$/.test(name));
  const texts = await Promise.all(scripts.map((name) => readFile(path.join(site, name), "utf8")));
  return scripts.filter((_, at) => texts[at].includes(FIXTURES));
}

/** The outcome of `try.js` with workers and without a model. */
export const WORDS_ONLY = {
  words: ["cats.md"],
  extract: { answer: "Cats purr when they are content. [1]", by: "rule" },
  written: { answer: "Cats purr when they are content. [1]", by: "llm" },
  graphs: 1,
};
/** The outcome with a model. */
export const EXPECTED = { ...WORDS_ONLY, meaning: { mode: "hybrid", ids: ["cats.md"] } };

/** Origin of WebSocket requests to the page's own host, as the proxy records it. */
const SOCKET = `https://${new URL(ORIGIN).host}:80`;

let browser;
let through; // the server that receives the browser's requests
const proxy = await startProxy({ get [new URL(ORIGIN).host]() { return through; } });
after(async () => {
  await browser?.close();
  proxy.close();
});

/** Serves a built fixture under the path `at`, together with the model and the runtime. */
export function mounted(site, { at = "/", headers = {}, more = {} } = {}) {
  const mounts = { "": site, "models/": path.join(SITE, "models"), "ort/": path.join(SITE, "vademecum/ort"), ...more };
  return startStatic(Object.fromEntries(Object.entries(mounts).map(([name, from]) => [at + name, from])), headers);
}

/**
 * Opens the page of a built fixture, and returns its outcome. Fails on errors and warnings in the page's console, and on requests
 * to other origins or outside of `at`.
 */
export async function visit(site, options = {}) {
  const host = await mounted(site, options);
  try {
    return await visitServer(host.address, options);
  } finally {
    host.close();
  }
}

/** Like `visit`, for a running server. Console messages that match `known` are ignored. */
export async function visitServer(address, { at = "/", known = /^$/ } = {}) {
  through = address;
  const before = proxy.seen.length;
  browser ??= await chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: ARGUMENTS,
    proxy: { server: proxy.address, bypass: "<-loopback>" },
  });
  const context = await browser.newContext(); // with a separate cache
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
    // Requests of pages are also checked without the exception for Chromium's own requests.
    const ofPages = requested.map(({ origin, pathname }) => ({ origin, path: pathname }));
    const asked = [...proxy.seen.slice(before).filter(({ origin }) => !BROWSERS_OWN.test(origin)), ...ofPages];
    const outside = asked.filter(({ origin, path }) => origin !== SOCKET && (origin !== ORIGIN || !path.startsWith(at)));
    assert.deepEqual({ complaints, outside }, { complaints: [], outside: [] }, written);
    return JSON.parse(written);
  } finally {
    await context.close();
  }
}
