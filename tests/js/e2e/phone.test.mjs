// The page on a phone, in dark mode, and by keyboard.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ORIGIN, startDemo } from "../support/demo.mjs";

let demo;
let page;

before(async () => {
  demo = await startDemo({ viewport: { width: 390, height: 844 }, colorScheme: "dark" });
  page = demo.page;
  await demo.open("/#ask?q=What+is+a+string+slice%3F");
});
after(() => demo?.close());

test("a question in the address is asked immediately", async () => {
  await page.waitForSelector("#answer-text .cite");
  assert.equal(await page.inputValue("#question"), "What is a string slice?");
  await demo.screenshot("phone-dark", { fullPage: true });
});

test("nothing is wider than the phone", async () => {
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= 390, `${width} px`);
});

test("a passage that is scrolled behind the tab bar does not take its clicks", async () => {
  const bar = await page.locator("#tab-trace").boundingBox();
  const hit = page.locator("#hits .hit").first();
  await hit.evaluate((one, y) => scrollBy({ top: one.getBoundingClientRect().top + 10 - y, behavior: "instant" }), bar.y);
  const { y, height } = await hit.boundingBox();
  const [middle, centre] = [bar.x + bar.width / 2, bar.y + bar.height / 2];
  assert.ok(y < centre && y + height > centre, `${y} to ${y + height} is behind ${centre}`);
  assert.equal(await page.evaluate(([x, y]) => document.elementFromPoint(x, y)?.closest("button")?.id, [middle, centre]), "tab-trace");
  await page.evaluate(() => scrollTo({ top: 0, behavior: "instant" }));
});

test("the whole workflow works by keyboard", async () => {
  await page.keyboard.press("Escape");
  await page.locator("body").press("/");
  assert.equal(await page.evaluate(() => document.activeElement.id), "question");
  await page.fill("#question", "how are strings indexed");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#answer-text .cite");
  await page.focus("#answer-text .cite");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#reader[open] mark");
  await demo.screenshot("phone-reader");
  await page.keyboard.press("Escape");
  await page.waitForSelector("#reader", { state: "hidden" });
  assert.ok(await page.locator("#answer-text .cite").first().evaluate((one) => one.matches(":focus")), "focus returns to where it was");
});

test("going back closes only the document that is open, whatever was typed since; closing it by its button leaves nothing to go back to", async () => {
  const answer = await page.textContent("#answer-text .body");
  for (const close of [() => page.goBack(), () => page.click("#reader [part~=close]")]) {
    const address = page.url();
    await page.fill("#question", "string slice of");
    await page.click("#hits li button");
    await page.waitForSelector("#reader[open] mark");
    await close();
    await page.waitForSelector("#reader", { state: "hidden" });
    await page.waitForTimeout(200);
    assert.equal(page.url(), address);
    assert.equal(await page.inputValue("#question"), "string slice of");
    assert.equal(await page.textContent("#answer-text .body"), answer);
  }
  await page.goBack();
  await page.waitForFunction(() => document.getElementById("question").value === "What is a string slice?");
});

test("text typed while the page loads stays", async () => {
  /** @type {any} */ let goOn;
  const loading = new Promise((resolve) => (goOn = resolve));
  await page.route("**/rust-book.library", async (route) => (await loading, route.continue()));
  await page.goto(`${ORIGIN}/`);
  await page.waitForSelector("#examples button");
  await page.fill("#question", "my own question");
  goOn();
  await page.waitForSelector("body[data-searchable]");
  await new Promise((resolve) => setTimeout(resolve, 300)); // time for code that could clear it
  assert.equal(await page.inputValue("#question"), "my own question");
});

test("every control has a name", async () => {
  const nameless = await page.evaluate(() =>
    [...document.querySelectorAll("button, input:not([hidden]), textarea")]
      .filter((control) => !(control.textContent.trim() || control.ariaLabel || control.labels?.length))
      .map((control) => control.outerHTML),
  );
  assert.deepEqual(nameless, []);
});
