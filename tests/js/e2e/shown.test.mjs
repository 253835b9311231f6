// Content of the page: tables and citations of answers, pending work, sizes, messages and hints, and the model after a reload.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { onAskTab } from "../support/ask-tab.mjs";
import { LLM, ORIGIN, startDemo } from "../support/demo.mjs";
import { drop, reports } from "../support/files.mjs";
import { useSmallSample } from "../support/small-sample.mjs";

let demo;
let page;
let llm;
let text, choose, done;

before(async () => {
  demo = await startDemo({ offline: true });
  ({ page, llm } = demo);
  ({ text, choose, done } = onAskTab(demo));
  page.setDefaultTimeout(60_000);
  await page.emulateMedia({ reducedMotion: "reduce" });
  await useSmallSample(page);
  await demo.open();
  await demo.ready();
});
after(() => demo?.close());

test("while passages are pending the bar shows how many and for how long, and never that all is ready", async () => {
  await page.evaluate(() => {
    window.seen = [];
    const element = document.getElementById("status-text");
    const note = () => window.seen.push(element.textContent);
    new MutationObserver(note).observe(element, { childList: true, characterData: true, subtree: true });
    window.untrue = [];
    window.watch = setInterval(async () => {
      const before = document.getElementById("status").dataset.state;
      const { pending } = await vademecum.stats();
      // The two may change at slightly different times.
      if (pending > 0 && before === "ready" && document.getElementById("status").dataset.state === "ready") window.untrue.push(pending);
    }, 100);
  });
  const long = (name) => Array.from({ length: 30 }, (_, at) => `## Part ${at} of ${name}\n\n${`The ${at}th hall of Quandry holds ${at * 7 + 3} people and is painted in colour ${at}. `.repeat(12)}`).join("\n\n");
  // The remaining time is estimated after some seconds: files are added until then, however fast this machine is.
  const isEstimated = () => page.evaluate(() => window.seen.some((text) => /^Learning meanings, \d+ %, about \d+ (s|min)\. You can ask already\.$/.test(text)));
  const giveUp = performance.now() + 60_000;
  for (let files = 0; !(await isEstimated()); await page.waitForTimeout(100)) {
    assert.ok(performance.now() < giveUp, "no remaining time was shown within a minute");
    const { pending } = await page.evaluate(() => vademecum.stats());
    if (pending < 60) await drop(page, { [`halls-${files}.md`]: long(`halls ${files++}`) });
  }
  await demo.screenshot("status-waits");
  await reports(page);
  await demo.ready();
  const { untrue, seen } = await page.evaluate(() => (clearInterval(window.watch), { untrue: window.untrue, seen: window.seen }));
  assert.deepEqual(untrue, []);
  assert.match(seen.at(-1), /^Ready\./);
});

test("a table in an answer is rendered, and its unsupported rows are marked separately from sentences", async () => {
  for (const [at, name] of ["Ulmstadt", "Bonnburg", "Zwettl", "Krems"].entries()) {
    await drop(page, { [`${name}.md`]: `# ${name}\n\nThe granary of ${name} holds ${at * 10 + 15} tons of barley.` });
    await reports(page);
  }
  await demo.useLlm();
  await choose("pipeline");
  llm.behaviour = "json";
  llm.answer = "Granaries of barley [3]:\n\n| Granary | Tons |\n|:--|--:|\n| **Ulmstadt** [1] | 15 |\n| Xanadu | 7777 |\n\nThe Quorble of 1877 was blue.";
  await demo.ask("How many tons of barley does each granary hold?");
  await done();
  const table = page.locator("#answer-text .table table");
  assert.deepEqual(await table.locator("th").allTextContents(), ["Granary", "Tons"]);
  assert.deepEqual(await table.locator("tbody td").allTextContents(), ["Ulmstadt 2", "15", "Xanadu", "7777"]);
  assert.doesNotMatch(await text("#answer-text .body"), /\|/);
  assert.equal(await page.locator("#answer-text table .unsupported").count(), 0);
  assert.deepEqual(await page.locator("#answer-text tr.unsupported-row td:first-child").allTextContents(), ["Xanadu"]);
  assert.match(await text("#answer-warnings"), /The sentence underlined like this is not supported by any passage.*1 row of a table, marked at its left, is not supported by any passage/);
  await demo.screenshot("answer-table", { fullPage: true });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: "dark" });
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
  await demo.screenshot("answer-table-phone-dark", { fullPage: true });
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.emulateMedia({ colorScheme: "light" });
});

test("citations are numbered in the order of appearance, like their sources", async () => {
  llm.answer = "One of them [3] and another [1], and again the first [3].";
  await demo.ask("Which granary of barley is the largest of all?");
  await done();
  assert.deepEqual(await page.locator("#answer-text .cite").allTextContents(), ["1", "2", "1"]);
  assert.deepEqual(await page.locator("#answer .sources .number").allTextContents(), ["1", "2"]);
  const titleOf = (selector) => page.locator(selector).first().getAttribute("title");
  assert.equal(await text("#answer .sources li:first-child button span:last-child"), await titleOf("#answer-text .cite"));
});

test("a source that the model did not name is marked by its look and its name, and explained", async () => {
  llm.answer = "The granary of Zwettl holds 35 tons of barley. The largest is another one [1].";
  await demo.ask("How much barley does the granary of Zwettl hold?");
  await done();
  const cites = page.locator("#answer-text .cite");
  assert.deepEqual(await cites.evaluateAll((all) => all.map((one) => one.matches(".sourced"))), [true, false]);
  assert.match((await cites.first().getAttribute("title")) ?? "", /Zwettl.* \(found by comparing words; the model did not name it\)$/);
  assert.match((await cites.first().getAttribute("aria-label")) ?? "", /^Source 1: .*the model did not name it\)$/);
  assert.match(await text("#answer-note"), /The source with a dashed border was found by comparing words; the model did not name it\./);
  await demo.screenshot("answer-found-source", { fullPage: true });
});

test("the beginning of a stopped answer is shown without Markdown marks", async () => {
  llm.behaviour = "stream";
  llm.answer = "The **old granary** is closed.";
  llm.go = new Promise(() => {});
  await demo.ask("Is the old granary of barley closed?");
  await page.waitForFunction(() => /old/.test(document.querySelector("#answer-text").shadowRoot?.querySelector(".body").textContent));
  await page.click("#stop-button");
  await done();
  assert.equal((await text("#answer-text .body")).trim(), "The old");
  assert.equal(await text("#answer-text strong"), "old ");
  llm.go = Promise.resolve();
  llm.behaviour = "json";
});

test("a message covers no heading, and is shown only on the tab that it is about", async () => {
  llm.behaviour = "fail";
  await page.setViewportSize({ width: 390, height: 700 });
  await demo.ask("How much barley is in Zwettl?");
  await done();
  await page.waitForSelector("#notice:not([hidden])");
  await page.waitForTimeout(500);
  const [message, heading] = await page.evaluate(() => [".in-view", "#answer-title"].map((selector) => {
    const { top, bottom } = document.querySelector(selector).getBoundingClientRect();
    return { top, bottom };
  }));
  assert.ok(message.bottom <= heading.top || message.top >= heading.bottom, JSON.stringify({ message, heading }));
  assert.ok(heading.top < 400, "the answer is in view all the same");
  await demo.screenshot("notice-phone");
  await page.setViewportSize({ width: 1280, height: 900 });
  await demo.tab("model");
  assert.ok(await page.isHidden("#notice"));
  await demo.tab("ask");
  assert.match(await text("#notice"), /HTTP 500/);
  await page.click("#notice-close");
  await demo.tab("model");
  await demo.tab("ask");
  assert.ok(await page.isHidden("#notice"), "what was put away stays away");
  llm.behaviour = "json";
});

test("an empty question produces a hint, and an answer stays while another question is typed, whose passages are named", async () => {
  llm.answer = "It holds 45 tons [1].";
  await demo.ask("How much barley is in Krems?");
  await done();
  const first = (name) => page.waitForFunction((name) => document.querySelector("#hits").shadowRoot?.querySelector("li")?.textContent.includes(name), name);
  await first("Krems");
  await page.fill("#question", "");
  await page.press("#question", "Enter");
  assert.equal(await text("#ask-said"), "Type a question first.");
  assert.ok(await page.isVisible("#answer"));
  await first("Krems");
  await page.fill("#question", "owls");
  await first("Owls");
  assert.equal(await text("#ask-said"), "");
  assert.ok(await page.isVisible("#answer"), "it is dropped by the next question that is asked, not by one that is typed");
  assert.equal(await text("#hit-count"), "for “owls”");
  await page.fill("#question", "");
  await first("Krems");
  assert.equal(await text("#hit-count"), "");
  assert.ok(await page.isVisible("#answer"));
});

test("if a filter is on and nothing is found, the page mentions the filter", async () => {
  await drop(page, { "orders.csv": "title,vendor\nOrder 1,ACME\nOrder 2,ACME\nOrder 3,Globex\n" });
  await reports(page);
  await page.locator('#facets fieldset:has(legend:text-is("vendor")) label', { hasText: "Globex" }).click();
  await page.waitForSelector("#filter-chip:not([hidden])");
  await demo.tab("model");
  await page.click("#forget-llm");
  await demo.ask("Zyzzyva?");
  await done();
  assert.match(await text("#answer-text .body"), /Only documents with vendor Globex were searched\. To search everything, clear the filter or choose other collections\./);
  assert.match(await text("#hit-count"), /^nothing found among documents with vendor Globex$/);
  await demo.screenshot("ask-filtered-nothing", { fullPage: true });
  await page.click("#answer-actions >> text=Search all documents");
  await page.waitForFunction(() => document.querySelector("#answer-text").shadowRoot.querySelector(".body").textContent !== "" && !document.querySelector("#answer-text").shadowRoot.querySelector(".body").textContent.includes("Only documents"));
  await done();
  assert.ok(await page.isHidden("#filter-chip"), "the filter is off");
  assert.equal(await text("#answer-asked"), "Zyzzyva?");
});

test("once the filter is cleared beside an answer, the question is asked again", async () => {
  await demo.tab("library");
  await page.locator('#facets fieldset:has(legend:text-is("vendor")) label', { hasText: "Globex" }).click();
  await demo.ask("Who sells order 1?");
  await done();
  const run = await page.evaluate(() => history.state.run);
  await page.click("#filter-clear");
  await page.waitForFunction((run) => history.state.run > run, run);
  await done();
  assert.ok(await page.isVisible("#answer"));
  assert.equal(await text("#answer-asked"), "Who sells order 1?");
});

test("sizes are those of the page's own files, not the browser's figure", async () => {
  await demo.tab("library");
  await page.waitForSelector("body[data-offline]", { timeout: 120_000 });
  const own = await page.evaluate(async () => {
    let bytes = 0;
    const look = async (folder) => {
      for await (const entry of folder.values()) {
        if (entry.kind === "directory") await look(entry);
        else {
          const { size } = await entry.getFile();
          bytes += size;
        }
      }
    };
    await look(await navigator.storage.getDirectory());
    return bytes;
  });
  await demo.tab("ask");
  await demo.tab("library");
  const told = await page.waitForFunction(() => /^The library takes ([\d.]+) (KB|MB); files for offline use, ([\d.]+ [KM]B)\. The browser lets this page store up to [\d.]+ [GM]B\.$/.exec(document.querySelector("#storage-used").textContent)?.slice(1, 4));
  const [amount, unit] = await told.jsonValue();
  assert.ok(Math.abs(Number(amount) * (unit === "KB" ? 1e3 : 1e6) - own) < 0.1 * own + 100_000, `${amount} ${unit} of ${own}`);
  await demo.screenshot("library-sizes", { fullPage: true });
});

test("all names of tabs are fully visible on a narrow phone", async () => {
  await page.setViewportSize({ width: 320, height: 640 });
  const cut = () => page.evaluate(() => [...document.querySelectorAll('[role="tab"]')].filter((tab) => tab.scrollWidth > tab.clientWidth + 1 || tab.getBoundingClientRect().right > innerWidth || tab.getBoundingClientRect().left < 0).map(({ textContent }) => textContent));
  assert.deepEqual(await cut(), []);
  await demo.screenshot("tabs-320");
  await page.setViewportSize({ width: 1280, height: 900 });
});

test("the result of a model test disappears with other settings, and several models are listed if none was named", async () => {
  await demo.tab("model");
  llm.models = ["stub-model", "other-model"];
  llm.answer = "Ready.";
  await page.fill("#endpoint", `${LLM}/v1`);
  await page.fill("#model-name", "stub-model");
  await page.click("#probe");
  await page.waitForSelector('#probe-outcome[data-state="good"]');
  await page.locator("#model-name").pressSequentially("2");
  assert.ok(await page.isHidden("#probe-outcome"));
  await page.fill("#endpoint", "not a url");
  await page.click("#probe");
  assert.match(await text("#settings-notice"), /“not a url” is not an address/);
  await page.fill("#endpoint", `${LLM}/v1`);
  assert.ok(await page.isHidden("#settings-notice"), "it is not said of another address");
  await page.click("#probe");
  await page.waitForSelector('#probe-outcome[data-state="good"]');
  await page.click("#save-settings");
  await page.fill("#model-name", "");
  await page.click("#save-settings");
  await page.waitForFunction(() => /^It has several models: stub-model, other-model\. Enter the name of one/.test(document.querySelector("#probe-outcome").textContent));
});

test("a model without a key is in use after a reload, and the question is asked again", async () => {
  llm.answer = "From the model [1].";
  await demo.useLlm();
  await demo.ask("How much barley is in Bonnburg?");
  await done();
  const before = llm.requests.length;
  await page.reload();
  await page.waitForFunction(() => /From the model 1\.$/.test(document.querySelector("#answer-text").shadowRoot?.querySelector(".body").textContent)); // behind a quotation: no passage supports it
  assert.equal(llm.requests.length, before + 1);
  assert.equal(await page.textContent("#llm-name"), "stub-model");
  await demo.tab("model");
  assert.equal(await text("#model-now"), "In use: stub-model, at llm.test.");
});

test("a link calls no model without consent", async () => {
  const before = llm.requests.length;
  const other = await page.context().newPage();
  await other.goto(`${ORIGIN}/#ask?q=What+is+in+the+granary%3F&style=pipeline`);
  await other.waitForFunction(() => /^Press Enter to ask this: it goes to stub-model\.$/.test(document.querySelector("#ask-said").textContent));
  assert.equal(await other.inputValue("#question"), "What is in the granary?");
  assert.equal(llm.requests.length, before);
  await other.close();
});

test("after a reload the page asks for the model's key, and does not repeat the question without it", async () => {
  await demo.useLlm("secret-key");
  await demo.ask("How much barley is in Ulmstadt?");
  await done();
  const before = llm.requests.length;
  await page.reload();
  await page.waitForSelector("#model-absent:not([hidden])");
  assert.equal(await text("#absent-told"), "stub-model at llm.test was in use before the page was reloaded: its key is not stored.");
  await page.waitForFunction(() => /^This question was not repeated automatically, because stub-model is no longer in use\./.test(document.querySelector("#ask-said").textContent));
  assert.ok(await page.isHidden("#answer"));
  assert.equal(await page.inputValue("#question"), "How much barley is in Ulmstadt?");
  await demo.screenshot("ask-model-absent", { fullPage: true });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: "dark" });
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
  await demo.screenshot("ask-model-absent-phone-dark", { fullPage: true });
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.emulateMedia({ colorScheme: "light" });
  await page.click("#absent-choose");
  assert.equal(await page.evaluate(() => document.activeElement.id), "key");
  assert.match(await text("#model-now"), /^In use: none\. stub-model at llm\.test was in use/);
  assert.equal(llm.requests.length, before);
  await page.fill("#key", "secret-key");
  await page.click("#save-settings");
  await demo.tab("ask");
  assert.ok(await page.isHidden("#model-absent"));
  await page.press("#question", "Enter");
  await done();
  assert.equal(llm.requests.at(-1).key, "Bearer secret-key");
  assert.ok(!(await page.evaluate(() => JSON.stringify({ ...localStorage }))).includes("secret-key"));
  await page.reload();
  await page.click("#absent-without");
  await page.reload();
  await page.waitForSelector("body[data-searchable]");
  assert.ok(await page.isHidden("#model-absent"), "who goes on without it is not asked again");
});
