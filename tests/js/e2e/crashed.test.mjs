// After a crash of the engine, the page shows one message and continues with the current question, pending passages and new requests.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { onAskTab } from "../support/ask-tab.mjs";
import { startDemo } from "../support/demo.mjs";
import { drop, reports } from "../support/files.mjs";
import { useSmallSample } from "../support/small-sample.mjs";

let demo;
let page;
let llm;
before(async () => {
  demo = await startDemo();
  ({ page, llm } = demo);
  page.setDefaultTimeout(60_000);
  await useSmallSample(page);
  await page.addInitScript(() => {
    const engines = [];
    globalThis.Worker = class extends Worker {
      constructor(address, options) {
        super(address, options);
        if (/\/worker\.js$/.test(address)) engines.push(this);
      }
    };
    window.notices = [];
    addEventListener("DOMContentLoaded", () => {
      const notice = document.getElementById("notice");
      new MutationObserver(() => window.notices.push(notice.textContent)).observe(notice, { childList: true, subtree: true, characterData: true });
    });
    window.crash = () => {
      const engine = engines.at(-1);
      engine.terminate();
      engine.dispatchEvent(new ErrorEvent("error", { message: "Uncaught RuntimeError: unreachable" }));
    };
  });
  await demo.open();
  await demo.ready();
});
after(() => demo?.close());

const crash = () => page.evaluate(() => window.crash());
/** Waits until the notice contains these words; a failure lists what it contained before. */
const told = async (words) => {
  const isTold = page.waitForFunction((words) => document.getElementById("notice").textContent.includes(words), words);
  await isTold.catch(async () => assert.fail(`not told “${words}”, but ${JSON.stringify(await page.evaluate(() => window.notices))}`));
};

test("a question pending during a crash is asked again by itself, and one message says what happened", async () => {
  await demo.useLlm();
  llm.behaviour = "stream";
  llm.answer = "Owls fly without a sound [1].";
  /** @type {any} */ let goOn;
  llm.go = new Promise((resolve) => (goOn = resolve));
  await demo.ask("Which birds fly without a sound?");
  await page.waitForFunction(() => document.querySelector("#answer-text").shadowRoot?.querySelector(".body").textContent.startsWith("Owls fly"));
  const before = llm.requests.length;
  await crash();
  await told("The page’s search engine crashed and was restarted with your saved library. Your question was asked again by itself.");
  await page.waitForFunction(() => document.querySelector("#answer-text").shadowRoot?.querySelector(".body").textContent.startsWith("Owls fly"));
  assert.ok(llm.requests.length > before, "the model was asked again");
  await demo.screenshot("engine-restarted");
  goOn();
  await onAskTab(demo).done();
  assert.match(await page.textContent("#answer-text .body"), /^Owls fly without a sound 1\./);
  assert.match(await page.textContent("#notice"), /^The page’s search engine crashed.*asked again by itself\.$/, "it stays until the next action");
  await demo.ready();
  llm.behaviour = "json";
  await demo.ask("Which birds fly without a sound?");
  await onAskTab(demo).done();
  assert.ok(await page.isHidden("#notice"));
});

test("a question at which the engine crashes twice is not asked a third time", async () => {
  await page.reload(); // a third crash within a minute would be the last
  await page.waitForSelector("body[data-searchable]");
  await demo.ready();
  llm.behaviour = "stream";
  llm.go = new Promise(() => {});
  const writing = () => page.waitForFunction(() => document.querySelector("#answer-text").shadowRoot?.querySelector(".writing")?.textContent.startsWith("Owls fly"));
  await demo.ask("Which owls fly without a sound?");
  await writing();
  const before = llm.requests.length;
  await crash();
  await told("Your question was asked again by itself.");
  for (let wait = 0; wait < 500 && llm.requests.length === before; wait++) await new Promise((resolve) => setTimeout(resolve, 20));
  await writing();
  await crash();
  await told("It crashed at this question twice");
  const asked = llm.requests.length;
  await page.waitForTimeout(500);
  assert.equal(llm.requests.length, asked);
  assert.ok(await page.isVisible("#ask-button"));
  llm.behaviour = "json";
  await page.reload();
  await page.waitForSelector("body[data-searchable]");
  await demo.ready();
});

test("passages pending during a crash are embedded afterwards, and typed text is searched", async () => {
  const text = Array.from({ length: 40 }, (_, at) => `## Part ${at}\n\n${`The hall number ${at} of Quandry is painted in colour ${at}. `.repeat(12)}`).join("\n\n");
  await drop(page, { "halls.md": text });
  await page.waitForFunction(() => /^Learning meanings, \d+ %/.test(document.getElementById("status-text").textContent));
  await crash();
  await told("was restarted");
  await reports(page);
  await demo.ready();
  const { pending, documents } = await page.evaluate(() => vademecum.stats());
  assert.deepEqual([pending, documents], [0, 4]);
  await demo.tab("ask");
  await page.fill("#question", "Quandry");
  await page.waitForFunction(() => /Quandry/.test(document.querySelector("#hits").shadowRoot?.querySelector("li")?.textContent));
});

test("an engine that crashes repeatedly is not restarted, and the retry button reloads the page", async () => {
  for (let times = 0; times < 4; times++) {
    if (/has stopped/.test(await page.textContent("#status-text"))) break;
    await crash();
    await page.waitForTimeout(1500);
  }
  await page.waitForFunction(() => document.getElementById("status-text").textContent === "The search engine has stopped.");
  await told("crashed repeatedly, and has stopped. Saved data is kept. Reload the page to start it.");
  await page.click("#retry");
  await demo.ready();
  assert.equal((await page.evaluate(() => vademecum.stats())).documents, 4);
  assert.ok(await page.isHidden("#notice"));
});
