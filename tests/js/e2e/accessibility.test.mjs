// Accessibility of the page: axe on every tab, empty and filled, in both colour schemes and on a phone; and complete operation by
// keyboard.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { startSite } from "../support/changing-site.mjs";
import { ORIGIN, startDemo } from "../support/demo.mjs";

const TABS = ["ask", "trace", "library", "evaluate", "model"];
/** Both colour schemes, on a desktop and on a phone. */
const SCREENS = [
  { name: "light", colorScheme: "light", width: 1280, height: 900 },
  { name: "phone, dark", colorScheme: "dark", width: 390, height: 844 },
];
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let site;
let demo;
let page;

before(async () => {
  site = await startSite();
  demo = await startDemo({ routes: { [new URL(ORIGIN).host]: site.address } });
  page = demo.page;
  await page.emulateMedia({ reducedMotion: "reduce" }); // colours in transition would fail the check of contrast
  await demo.open();
});
after(async () => {
  await demo?.close();
  site?.close();
});

/** Returns the findings of axe, one per line. The debugger injects axe, because the page's policy forbids other scripts. */
async function violations() {
  await page.evaluate(`if (!globalThis.axe) { ${AXE} }`);
  const { violations, passes } = await page.evaluate(() => axe.run(document, { resultTypes: ["violations", "passes"] }));
  assert.ok(passes > 0 || passes.length > 10, "axe has looked at something");
  return violations.flatMap(({ id, impact, nodes }) => nodes.map(({ html, failureSummary }) => `${impact} ${id}: ${html.slice(0, 160)} ${failureSummary.split("\n").slice(1, 2).join(" ")}`));
}

/** @param seen name of the state */
async function check(seen) {
  const found = [];
  for (const { name, colorScheme, width, height } of SCREENS) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    found.push(...(await violations()).map((line) => `${seen}, ${name}: ${line}`));
  }
  await page.setViewportSize(SCREENS[0]);
  await page.emulateMedia({ colorScheme: "light" });
  return found;
}

/** Expands all collapsed elements, because axe ignores hidden content. */
const unfold = (panel) => page.evaluate((panel) => document.querySelectorAll(`${panel} details`).forEach((one) => (one.open = true)), panel);

test("axe finds nothing in any tab before a question is asked", async () => {
  const found = [];
  for (const tab of TABS) {
    await demo.tab(tab);
    found.push(...(await check(`${tab}, empty`)));
  }
  assert.deepEqual(found, []);
});

test("axe finds nothing in any tab with content, nor in a dialog", async () => {
  const found = [];
  await demo.ask("Why can't I use a value after it was moved?");
  await page.waitForSelector("#answer-text .cite", { timeout: 60_000 });
  await unfold("#ask");
  found.push(...(await check("ask, answered")));
  await page.click("#answer-text .cite");
  await page.waitForSelector("#reader[open]");
  found.push(...(await check("reader")));
  await page.keyboard.press("Escape");

  await demo.tab("trace");
  await unfold("#trace");
  found.push(...(await check("trace, filled")));

  await demo.tab("library");
  await page.setInputFiles("#files", [
    { name: "mine.md", mimeType: "text/markdown", buffer: Buffer.from("# Mine\n\nMy own note about ownership.") },
    { name: "empty.md", mimeType: "text/markdown", buffer: Buffer.alloc(0) },
  ]);
  await page.waitForFunction(() => /empty\.md/.test(document.getElementById("library").textContent));
  await unfold("#library");
  found.push(...(await check("library, filled")));
  const rows = Array.from({ length: 24 }, (_, at) => `Order ${at},Vendor ${at % 12}`);
  await page.setInputFiles("#files", { name: "orders.csv", mimeType: "text/csv", buffer: Buffer.from(`title,vendor\n${rows.join("\n")}\n`) });
  await page.waitForSelector('#facets button:text("4 more")');
  await page.focus('#facets button:text("4 more")');
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement.matches('input[data-value="vendor=Vendor 6"]')); // the first of the added values in alphabetical order
  await page.keyboard.press("Space");
  await page.waitForSelector("#filter-chip:not([hidden])");
  found.push(...(await check("library, filtered")));
  await page.click("#filter-clear");
  await page.click('#documents button[title="mine.md"]');
  await page.waitForSelector("#reader-metadata:not([hidden])");
  await unfold("#reader");
  found.push(...(await check("reader, with metadata")));
  await page.keyboard.press("Escape");
  await page.selectOption("#collection", { label: "A new collection…" });
  await page.click('#collection-form button[type="submit"]');
  await page.waitForSelector("#collection-notice:not([hidden])");
  found.push(...(await check("collection form")));
  await page.click("#collection-cancel");
  await page.click("#delete-all");
  await page.waitForSelector("dialog.confirm[open]");
  found.push(...(await check("confirm dialog")));
  await page.keyboard.press("Escape");

  await demo.tab("evaluate");
  await page.fill("#case-number", "4");
  await page.click("#make-button");
  await page.waitForSelector("#cases tr:nth-child(4)");
  for (const name of ["vector", "hybrid", "pipeline"]) await page.uncheck(`#strategies input[value="${name}"]`);
  await page.click("#own-cases summary");
  await page.click("#run-evaluation");
  await page.waitForSelector("#report:not([hidden])", { timeout: 300_000 });
  found.push(...(await check("evaluate, filled")));
  await page.locator(".matrix .cell").first().click();
  await page.waitForSelector("#found[open]");
  found.push(...(await check("found")));
  await page.keyboard.press("Escape");

  await demo.useLlm();
  await demo.tab("model");
  await page.click("#probe");
  await page.waitForSelector('#probe-outcome[data-state="good"], #probe-outcome[data-state="bad"]');
  found.push(...(await check("model, filled")));

  demo.llm.behaviour = "json";
  await demo.tab("ask");
  await page.check("#ask-veto");
  await demo.ask("What is a string slice?");
  await page.waitForSelector("#veto[open]");
  found.push(...(await check("veto")));
  await page.click('#veto button[value="all"]');
  await page.waitForSelector("#answer-text .cite", { timeout: 60_000 });
  await demo.tab("trace");
  await unfold("#trace");
  found.push(...(await check("trace, with a model")));
  await demo.tab("ask");
  await page.uncheck("#ask-veto");
  assert.deepEqual(found, []);
});

test("every control of every tab can be reached by keyboard, with a visible focus", async () => {
  await page.focus("#tab-ask");
  const atRest = await page.evaluate(() => getComputedStyle(document.querySelector(".ask-form")).borderColor);
  for (const [at, tab] of TABS.entries()) {
    await page.focus("#tab-ask");
    if (at === 0) await page.keyboard.press("Home");
    for (let step = 0; step < at; step++) await page.keyboard.press("ArrowRight");
    assert.equal(await page.evaluate(() => document.activeElement.id), `tab-${tab}`);
    assert.ok(await page.isVisible(`#${tab}`));
    const wanted = await page.evaluate((tab) => {
      const allIn = (root) => [...root.querySelectorAll("*")].flatMap((one) => [...(one.matches("button, input, select, textarea, summary, a[href], [tabindex='0']") ? [one] : []), ...(one.shadowRoot ? allIn(one.shadowRoot) : [])]);
      const reachable = allIn(document.getElementById(tab)).filter((one) => one.checkVisibility() && !one.disabled && one.tabIndex >= 0 && (one.type !== "radio" || one.checked));
      globalThis.unreached = new Set(reachable);
      return reachable.length;
    }, tab);
    const faint = [];
    for (let press = 0; press < wanted + 12; press++) {
      await page.keyboard.press("Tab");
      const { left, shown, html } = await page.evaluate((atRest) => {
        let one = document.activeElement;
        while (one.shadowRoot?.activeElement) one = one.shadowRoot.activeElement; // in the tree of an element of the package
        unreached.delete(one);
        const outlined = (element) => element && getComputedStyle(element).outlineStyle !== "none";
        // Only the question's field has a focus ring around its frame; the buttons next to it have their own outline.
        const framed = one.id === "question" && getComputedStyle(one.closest(".ask-form")).borderColor !== atRest;
        return { left: unreached.size, shown: one === document.body || outlined(one) || framed, html: one.outerHTML.slice(0, 120) };
      }, atRest);
      if (!shown) faint.push(html);
      if (left === 0) break;
    }
    const left = await page.evaluate(() => [...unreached].map((one) => one.outerHTML.slice(0, 120)));
    assert.deepEqual([left, faint], [[], []], tab);
  }
});

test("a model can be chosen, a question asked, and a source read without a mouse", async () => {
  await page.focus("#tab-model");
  await page.keyboard.press("Enter");
  await page.focus("#forget-llm");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "tab-model", "focus is not lost with the button");
  await page.focus(".skip");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "question", "the first link leads there from every tab");
  await page.focus("#tab-model");
  await page.keyboard.press("Enter");
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement.id), "question");
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("What is a string slice?");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#answer-text .cite", { timeout: 60_000 });
  const cite = page.locator("#answer-text .cite").last();
  await cite.focus();
  await page.keyboard.press("Enter");
  await page.waitForSelector("#reader[open] mark");
  await page.keyboard.press("Escape");
  assert.ok(await cite.evaluate((one) => one.matches(":focus")), "focus returns to where it was");
});
