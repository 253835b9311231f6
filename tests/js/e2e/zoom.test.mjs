// The page at twice its size, by the browser's zoom and by larger text, and with reduced motion.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ORIGIN, startDemo } from "../support/demo.mjs";
import { reports } from "../support/files.mjs";
import { useSmallSample } from "../support/small-sample.mjs";

const TABS = ["ask", "trace", "library", "evaluate", "model"];
const PRICES = "# Prices\n\n| Repair of the bicycle | Duration in the workshop | Price in euros |\n|---|---|--:|\n| New chain with lubrication | half a day | 48.50 |\n";
let demo;
/** A page of 1280 pixels at 200 %, and one whose text alone is twice as large. */
const SCREENS = [
  { name: "zoom", viewport: { width: 640, height: 450 }, deviceScaleFactor: 2, text: 1 },
  { name: "text", viewport: { width: 1280, height: 900 }, deviceScaleFactor: 1, text: 2 },
];

before(async () => {
  demo = await startDemo();
});
after(() => demo?.close());

/** Opens the page with a document and an answer. */
async function opened({ viewport, deviceScaleFactor, text }) {
  const context = await demo.page.context().browser().newContext({ viewport, deviceScaleFactor, reducedMotion: "reduce" });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  await useSmallSample(page);
  await page.goto(ORIGIN);
  await page.evaluate((times) => (document.documentElement.style.fontSize = `${times * 100}%`), text);
  await page.waitForSelector("body[data-searchable]");
  await page.click("#tab-library");
  await page.setInputFiles("#files", [
    { name: "prices.md", mimeType: "text/markdown", buffer: Buffer.from(PRICES) },
    { name: "tickets.csv", mimeType: "text/csv", buffer: Buffer.from("ticket,customer,amount\nT-1,Nordwind,10.50\nT-2,Acme,7.25\n") },
  ]);
  await reports(page);
  await page.click("#tab-ask");
  await page.fill("#question", "List the tickets");
  await page.press("#question", "Enter");
  await page.waitForSelector(".rows table");
  await page.waitForFunction(() => document.querySelector("#answer-actions").children.length > 0);
  return { page, close: () => context.close() };
}

/** Runs in the page: returns what is wrong with the layout of the panel that is shown. */
function faults() {
  const found = [];
  const doc = document.documentElement;
  if (doc.scrollWidth > doc.clientWidth) found.push(`the page is ${doc.scrollWidth} px wide in a window of ${doc.clientWidth}`);
  const allIn = (root) => [...root.querySelectorAll("*")].flatMap((one) => [one, ...(one.shadowRoot ? allIn(one.shadowRoot) : [])]);
  const isControl = (one) => one.matches("button, input, select, textarea, summary, a[href]") && one.checkVisibility({ visibilityProperty: true }) && !one.matches(":disabled, .skip") && one.getClientRects().length > 0;
  const controls = allIn(document.body).filter(isControl);
  const nameOf = (one) => `${one.localName}#${one.id} ${(one.textContent || one.ariaLabel || one.name || "").trim().slice(0, 40)}`;
  const topAt = (x, y) => {
    let at = document.elementFromPoint(x, y);
    while (at?.shadowRoot?.elementFromPoint(x, y) && at.shadowRoot.elementFromPoint(x, y) !== at) at = at.shadowRoot.elementFromPoint(x, y);
    return at;
  };
  for (const one of controls) {
    one.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    const { left, right, top, bottom } = one.getClientRects()[0];
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    const hit = topAt(x, y);
    const isReached = hit && (one.contains(hit) || hit.contains(one) || [...(one.labels ?? [])].some((label) => label.contains(hit)) || one.getRootNode() !== document);
    if (!isReached) found.push(`${nameOf(one)} is behind ${hit ? `${hit.localName}#${hit.id}.${hit.className}` : "the edge of the window"}`);
    if (right - left < 8 || bottom - top < 8) found.push(`${nameOf(one)} is ${right - left} × ${bottom - top} px`);
  }
  scrollTo({ top: 0, behavior: "instant" });
  // Two controls at once: without those that stay in view while others scroll behind them.
  const isFixed = (one) => one.closest(".tabs, .ask-form, .ways, [role=tablist]") !== null;
  const placed = controls.filter((one) => !isFixed(one) && one.getRootNode() === document).map((one) => ({ one, box: one.getBoundingClientRect() }));
  for (const [at, { one, box }] of placed.entries()) {
    for (const { one: other, box: own } of placed.slice(at + 1)) {
      if (one.contains(other) || other.contains(one)) continue;
      const [width, height] = [Math.min(box.right, own.right) - Math.max(box.left, own.left), Math.min(box.bottom, own.bottom) - Math.max(box.top, own.top)];
      if (width > 1 && height > 1) found.push(`${nameOf(one)} overlaps ${nameOf(other)}`);
    }
  }
  return found;
}

/** Runs in the page: returns what moves for longer than a hundredth of a second, or would. */
function motions() {
  const rootsIn = (root) => [root, ...[...root.querySelectorAll("*")].flatMap(({ shadowRoot }) => (shadowRoot ? rootsIn(shadowRoot) : []))];
  const longest = (text) => Math.max(...text.split(",").map((one) => parseFloat(one) * (/\dms$/.test(one.trim()) ? 1 : 1000)));
  const roots = rootsIn(document);
  const running = roots.flatMap((root) => root.getAnimations()).filter((one) => one.playState === "running" && Number(one.effect.getComputedTiming().activeDuration) > 10).map((one) => `${one.constructor.name} of ${one.effect.target.localName}`);
  const would = roots.flatMap((root) => [...root.querySelectorAll("*")]).flatMap((one) => ["", "::before", "::after"].map((pseudo) => ({ one, pseudo, style: getComputedStyle(one, pseudo || null) })))
    .filter(({ pseudo, style }) => !pseudo || style.content !== "none")
    .filter(({ style }) => longest(style.transitionDuration) > 10 || (style.animationName !== "none" && longest(style.animationDuration) > 10) || style.scrollBehavior === "smooth")
    .map(({ one, pseudo, style }) => `${one.localName}.${one.className}${pseudo}: ${style.transitionDuration} ${style.animationName}`);
  return [...new Set([...running, ...would])];
}

const unfold = (page, tab) => page.evaluate((tab) => document.querySelectorAll(`#${tab} details`).forEach((one) => (one.open = true)), tab);

for (const screen of SCREENS) {
  test(`at 200 %, by ${screen.name}, nothing is scrolled sideways, and all controls are reached and apart`, async () => {
    const { page, close } = await opened(screen);
    const found = [];
    const moving = [];
    for (const tab of TABS) {
      await page.click(`#tab-${tab}`);
      if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) found.push(`${tab} is scrolled sideways before anything is unfolded`);
      await unfold(page, tab);
      found.push(...(await page.evaluate(faults)).map((one) => `${tab}: ${one}`));
      moving.push(...(await page.evaluate(motions)).map((one) => `${tab}: ${one}`));
      await page.evaluate(() => scrollTo(0, 0));
      await demo.screenshot(`zoom-${screen.name}-${tab}`, {}, page);
    }
    await page.click("#tab-ask");
    await page.locator(".rows tbody button").first().click();
    await page.waitForSelector("#reader[open]");
    assert.ok(await page.evaluate(() => document.querySelector("#reader").scrollWidth <= document.querySelector("#reader").clientWidth));
    await demo.screenshot(`zoom-${screen.name}-reader`, {}, page);
    await page.keyboard.press("Escape");
    await close();
    assert.deepEqual(found, []);
    assert.deepEqual(moving, [], "with reduced motion");
  });
}

test("without reduced motion something moves, so that its absence can be noticed", async () => {
  await demo.page.goto(ORIGIN);
  await demo.page.emulateMedia({ reducedMotion: "no-preference" });
  assert.ok((await demo.page.evaluate(motions)).length > 0);
});
