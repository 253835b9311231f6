// The demo page in a real browser, behind a proxy that records every request.

import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { chromium } from "playwright-core";
import { startLlm } from "./llm-stub.mjs";
import { startProxy } from "./proxy.mjs";

/** Not a loopback name, so that behaviour that differs on localhost is detected. */
export const ORIGIN = "http://vademecum.test";
export const LLM = "http://llm.test";
const PAGE = process.env.VADEMECUM_PAGE;

/** Requests of Chromium itself. Requests of pages are also checked without this exception. */
export const BROWSERS_OWN = /^https?:\/\/((accounts|update|(android\.)?clients\d?|www|content-autofill|optimizationguide-pa|safebrowsing)\.google(apis)?\.com|redirector\.gvt1\.com)(:443)?$/;

/** Origins that the tests use: names mapped to their servers, and loopback addresses, including ports without a server. */
const OF_THE_TESTS = /^(https?|wss?):\/\/([\w.-]+\.(test|invalid)|localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

export const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-default-apps",
  "--disable-blink-features=AutomationControlled",
  `--unsafely-treat-insecure-origin-as-secure=${ORIGIN}`,
];

/** Delays the optimising compiler of wasm: pages of tests are closed before its computing time pays off. */
const FEWER_TIERS = "--wasm-tiering-budget=150000000";

/** Has V8 find a processor without the instructions by which it runs SIMD of wasm, on x86. */
const NO_SIMD = "--no-enable-sse4-1";

/**
 * Waits until `ask`, called in the page, resolves to a true value. Playwright's `waitForFunction` considers a promise itself true,
 * and does not wait.
 */
export async function untilTrue(page, ask, given, { timeout = 120_000, pause = 50 } = {}) {
  const end = Date.now() + timeout;
  while (!(await page.evaluate(ask, given))) {
    if (Date.now() > end) throw new Error(`Timeout of ${timeout} ms exceeded while waiting for ${ask}`);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** Suppresses the message that tells the service worker to store the page's files. */
function withoutStoring() {
  const workers = globalThis.ServiceWorker?.prototype; // absent on insecure addresses
  if (!workers) return;
  const post = workers.postMessage;
  workers.postMessage = function (message, ...rest) {
    if (message !== "keep") post.call(this, message, ...rest);
  };
}

/**
 * Starts the page in a new browser.
 * @param offline whether the page stores all its files for offline use, which takes seconds of computing time. Default: false
 * @param simd whether the browser has SIMD of WebAssembly, if it can be without. Default: true
 */
export async function startDemo({ viewport = { width: 1280, height: 900 }, colorScheme = /** @type {"light" | "dark"} */ ("light"), routes = {}, policy = true, offline = false, simd = true } = {}) {
  if (!PAGE) throw new Error("VADEMECUM_PAGE is not set: run `cargo xtask test e2e`");
  const llm = await startLlm();
  // Without `policy`, pages may load resources of other hosts. Service workers are blocked because they add the policy again.
  const hosts = { [new URL(ORIGIN).host]: PAGE, [new URL(LLM).host]: llm.address, ...routes };
  const proxy = await startProxy(hosts, policy ? null : "connection-allowlist");
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: [...ARGUMENTS, `--js-flags=${simd ? FEWER_TIERS : `${FEWER_TIERS} ${NO_SIMD}`}`],
    proxy: { server: proxy.address, bypass: "<-loopback>" },
  });
  const context = await browser.newContext({ viewport, colorScheme, serviceWorkers: policy ? "allow" : "block" });
  context.setDefaultTimeout(60_000); // allows for another test file at the same time
  if (!offline) await context.addInitScript(withoutStoring);
  const page = await context.newPage();
  const requested = new Set();
  context.on("request", (request) => /^http/.test(request.url()) && requested.add(new URL(request.url()).origin));
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  const origins = () => {
    const seen = proxy.seen.map(({ origin }) => origin).filter((origin) => !BROWSERS_OWN.test(origin));
    return [...new Set([...seen, ...requested])].sort();
  };
  return {
    page,
    llm,
    proxy,
    complaints,
    /** Opens the page and waits until keyword search works. */
    async open(address = "/") {
      await page.goto(ORIGIN + address);
      await page.waitForSelector("body[data-searchable]");
    },
    /** Waits until every passage has a vector. */
    ready: () => page.waitForSelector('#status[data-state="ready"]', { timeout: 300_000 }),
    async useLlm(key = "") {
      await page.click("#tab-model");
      await page.fill("#endpoint", `${LLM}/v1`);
      await page.fill("#model-name", "stub-model");
      await page.fill("#key", key);
      await page.click("#save-settings");
      await page.click("#tab-ask");
    },
    /** Shows a tab: `ask`, `trace`, `library`, `evaluate` or `model`. */
    tab: (name) => page.click(`#tab-${name}`),
    async ask(question) {
      await page.click("#tab-ask");
      await page.fill("#question", question);
      await page.press("#question", "Enter");
    },
    async screenshot(name, options = {}, of = page) {
      const folder = process.env.VADEMECUM_SCREENSHOTS;
      if (!folder) return;
      await mkdir(folder, { recursive: true });
      await of.screenshot({ path: path.join(folder, `${name}.png`), ...options });
    },
    /** All origins that received a request. */
    origins,
    /** Closes the browser. Fails if an origin other than those of the tests received a request. */
    async close() {
      await browser.close();
      proxy.close();
      llm.close();
      assert.deepEqual(origins().filter((origin) => !OF_THE_TESTS.test(origin)), [], "other origins that were asked");
    },
  };
}
