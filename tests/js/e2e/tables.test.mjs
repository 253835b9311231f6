// Tables on a phone: in answers, passages and documents, and the rows of an answer, sorted by a column.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { onAskTab } from "../support/ask-tab.mjs";
import { startDemo } from "../support/demo.mjs";
import { reports } from "../support/files.mjs";
import { useSmallSample } from "../support/small-sample.mjs";

const PRICES = `# Prices of the workshop

## Repairs

| Repair of the bicycle | Duration in the workshop | What is included | Price in euros |
|---|---|---|--:|
| New chain | half a day | chain, lubrication and adjustment of the gears | 48.50 |
| New brake pads | one day | four pads, cables and adjustment of the brakes | 39.00 |
`;
/** More rows than are shown at first, with the highest amount in the last one. */
const ORDERS = Array.from({ length: 30 }, (_, at) => `T-${at + 1},${["Nordwind", "Acme"][at % 2]},${at === 29 ? "1000.50" : `${(at * 7) % 30}.25`},2024-${String((at % 12) + 1).padStart(2, "0")}-03`);
const SCREENS = [["phone-light", 390, "light"], ["phone-dark", 390, "dark"], ["desktop-light", 1280, "light"], ["desktop-dark", 1280, "dark"]];
let demo;
let page;
let done;

before(async () => {
  demo = await startDemo({ viewport: { width: 390, height: 844 } });
  ({ page } = demo);
  ({ done } = onAskTab(demo));
  page.setDefaultTimeout(20_000);
  await useSmallSample(page);
  await demo.open();
  await demo.tab("library");
  await page.setInputFiles("#files", [
    { name: "prices.md", mimeType: "text/markdown", buffer: Buffer.from(PRICES) },
    { name: "tickets.csv", mimeType: "text/csv", buffer: Buffer.from(`ticket,customer,amount,opened\n${ORDERS.join("\n")}\n`) },
  ]);
  await reports(page);
});
after(() => demo?.close());

async function screenshots(name) {
  for (const [screen, width, colorScheme] of /** @type {[string, number, "light" | "dark"][]} */ (SCREENS)) {
    await page.setViewportSize({ width, height: 844 });
    await page.emulateMedia({ colorScheme });
    await demo.screenshot(`tables-${name}-${screen}`);
  }
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: "light" });
}

const isPageAsWideAsWindow = () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);

/** Scrolls a frame sideways as a finger or a wheel does, and returns whether its last column is then within it. */
async function reachesLastColumn(frame) {
  await frame.scrollIntoViewIfNeeded();
  const { x, y, width, height } = await frame.boundingBox();
  const before = await frame.evaluate((one) => ({ isCut: one.scrollWidth > one.clientWidth, tabIndex: one.tabIndex, shadow: getComputedStyle(one).backgroundAttachment }));
  assert.ok(before.isCut, "the table is wider than its frame");
  assert.equal(before.tabIndex, 0);
  assert.match(before.shadow, /local, .*scroll, scroll/, "a shadow tells that there is more");
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.wheel(2000, 0);
  await page.waitForFunction((one) => one.scrollLeft > 0, await frame.elementHandle());
  return frame.evaluate((one) => {
    const last = one.querySelector("tr:last-child > :last-child").getBoundingClientRect();
    const own = one.getBoundingClientRect();
    return last.left >= own.left && last.right <= own.right + 1;
  });
}

test("a table in an answer is scrolled in its own frame on a phone, which shows that it is cut; one in a passage is wrapped", async () => {
  await demo.ask("Which repair includes cables and adjustment of the brakes?");
  await done();
  const frame = page.locator("#answer-text .table").first();
  await frame.waitFor();
  await frame.scrollIntoViewIfNeeded();
  await screenshots("answer");
  assert.ok(await reachesLastColumn(frame));
  assert.ok(await isPageAsWideAsWindow());
  const passage = page.locator("#hits .table").first();
  assert.ok(await passage.evaluate((one) => one.scrollWidth <= one.clientWidth), "all columns of a passage are in view");
  await passage.scrollIntoViewIfNeeded();
  await screenshots("passage");
});

test("a table in a document is scrolled in its own frame on a phone, also by keyboard", async () => {
  await page.click("#answer-text .cite");
  await page.waitForSelector("#reader[open] .table");
  const frame = page.locator("#reader-view .table").first();
  await screenshots("reader");
  assert.ok(await reachesLastColumn(frame));
  await frame.evaluate((one) => (one.scrollLeft = 0));
  await frame.focus();
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction((one) => one.scrollLeft > 0, await frame.elementHandle());
  assert.ok(await isPageAsWideAsWindow());
  await page.keyboard.press("Escape");
});

const column = (at) => page.locator(`.rows tbody tr > :nth-child(${at})`).allTextContents();
const sortButton = (name) => page.locator(".rows thead").getByRole("button", { name, exact: true });
const sortedAs = () => page.locator(".rows thead th").evaluateAll((heads) => heads.map((one) => one.getAttribute("aria-sort")).join());

test("rows are sorted by the button of a column, by value and over all rows, and the third press gives the first order again", async () => {
  await demo.ask("List the tickets");
  await page.waitForSelector(".rows table");
  await done();
  const names = await page.locator(".rows thead th").allTextContents();
  const [ticket, customer, amount, opened] = ["ticket", "customer", "amount", "opened"].map((name) => names.indexOf(name) + 1);
  assert.ok(await page.evaluate(() => document.querySelector(".rows-scroll").scrollWidth > document.querySelector(".rows-scroll").clientWidth));
  const before = await column(ticket);
  assert.equal(before.length, 25);
  await sortButton("amount").click();
  await page.waitForFunction(() => document.querySelector(".rows th[aria-sort=ascending]"));
  await page.waitForFunction((at) => document.querySelector(`.rows tbody tr:nth-child(2) > :nth-child(${at})`).textContent === "1.25", amount); // the first row may be 0.25 before
  assert.equal((await column(amount))[0], "0.25");
  const amounts = (await column(amount)).map(Number);
  assert.deepEqual(amounts, [...amounts].sort((a, b) => a - b));
  await sortButton("amount").focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction((at) => document.querySelector(`.rows tbody tr > :nth-child(${at})`).textContent === "1000.50", amount); // as it is written in the file
  assert.equal(await page.textContent(".rows [role=status].visually-hidden"), "Sorted by amount, descending.");
  assert.match(await sortedAs(), /^,*descending,*$/);
  assert.ok(await sortButton("amount").evaluate((one) => one.matches(":focus")), "the focus stays");
  await screenshots("rows");
  await page.keyboard.press("Space");
  await page.waitForFunction((first) => document.querySelector(".rows tbody th").textContent === first, before[0]);
  assert.deepEqual(await column(ticket), before);
  assert.match(await sortedAs(), /^,*$/);

  await sortButton("opened").click();
  await page.waitForFunction((at) => document.querySelector(`.rows tbody tr > :nth-child(${at})`).textContent === "2024-01-03", opened);
  await page.click(".rows .actions button >> text=Show all 30");
  await page.waitForFunction(() => document.querySelectorAll(".rows tbody tr").length === 30);
  const days = await column(opened);
  assert.deepEqual(days, [...days].sort());
  await sortButton("customer").click();
  await page.waitForFunction((at) => document.querySelector(`.rows tbody tr:nth-child(15) > :nth-child(${at})`).textContent === "Acme", customer);
  const all = (await column(ticket)).map((name, at) => [name, at]);
  assert.equal(all.length, 30);
  assert.equal(await page.locator(".rows th[aria-sort]").count(), 1, "one column at a time");
});

test("the console shows no errors", () => assert.deepEqual(demo.complaints, []));
