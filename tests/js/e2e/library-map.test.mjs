// Screenshots of the library tab with chapters of a book: light, dark, and on a phone.

import assert from "node:assert/strict";
import { test } from "node:test";
import { startDemo } from "../support/demo.mjs";

test("with chapters of a book: the map in light, in dark and on a phone, where nothing is wider than it", async () => {
  const book = await startDemo();
  try {
    await book.open();
    await book.ready();
    await book.ask("How do I return an error to whoever called?");
    await book.page.waitForSelector("#hits li");
    await book.tab("library");
    await book.page.waitForFunction(() => document.querySelectorAll("#map-legend li").length > 5);
    await book.page.hover("#map");
    await book.screenshot("library-light", { fullPage: true });
    await book.page.emulateMedia({ colorScheme: "dark" });
    await book.page.selectOption("#map-by", "collection");
    await book.page.waitForFunction(() => document.querySelectorAll("#map-legend li").length === 1);
    await book.screenshot("library-dark", { fullPage: true });
    await book.page.setViewportSize({ width: 390, height: 844 });
    await book.page.selectOption("#map-by", "document");
    assert.equal(await book.page.evaluate(() => document.documentElement.scrollWidth), 390);
    await book.screenshot("library-phone", { fullPage: true });
    const nameless = await book.page.evaluate(() =>
      [...document.querySelectorAll("#library button, #library input:not([hidden]), #library select")]
        .filter((control) => !(control.textContent.trim() || control.ariaLabel || control.labels?.length))
        .map((control) => control.outerHTML),
    );
    assert.deepEqual(nameless, []);
    assert.deepEqual(book.complaints, []);
  } finally {
    await book.close();
  }
});
