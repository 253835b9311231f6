// Lighthouse's scores of the demo page, for a phone on a slow network, which is its default, and for a desktop.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch } from "chrome-launcher";
import lighthouse, { desktopConfig as desktop } from "lighthouse";
import { startCompressing } from "../../support/compressing.mjs";

/** Times of the page's scripts are in the score for performance. On a busy machine they are longer: the best of several runs counts. */
const RUNS = 3;
const LEAST = 95;
let host;
let browser;

before(async () => {
  host = await startCompressing(/** @type {string} */ (process.env.VADEMECUM_PAGE));
  browser = await launch({ chromePath: process.env.CHROMIUM, chromeFlags: ["--headless=new", "--no-sandbox", "--disable-gpu"], logLevel: "silent" });
});
after(async () => {
  await browser?.kill();
  host?.close();
});

const desktopConfig = /** @type {import("lighthouse").Config} */ (desktop);
/** @type {[string, import("lighthouse").Config | undefined][]} */
const DEVICES = [["a phone on a slow network", undefined], ["a desktop", desktopConfig]];

for (const [name, config] of DEVICES) {
  test(`Lighthouse gives the page at least ${LEAST} of 100 points on ${name}`, async (context) => {
    /** @type {Record<string, number>} */
    const best = { performance: 0, accessibility: 0, "best-practices": 0 };
    for (let run = 0; run < RUNS && Math.min(...Object.values(best)) < LEAST; run++) {
      const result = await lighthouse(`${host.address}/`, { port: browser.port, onlyCategories: Object.keys(best) }, config);
      assert.ok(result && !result.lhr.runtimeError, JSON.stringify(result?.lhr.runtimeError));
      const { categories, audits } = result.lhr;
      for (const id of Object.keys(best)) best[id] = Math.max(best[id], Math.round((categories[id].score ?? 0) * 100));
      assert.equal(audits["cumulative-layout-shift"].numericValue, 0, "nothing moves");
    }
    context.diagnostic(JSON.stringify(best));
    for (const [id, score] of Object.entries(best)) assert.ok(score >= LEAST, `${id}: ${score}`);
  });
}
