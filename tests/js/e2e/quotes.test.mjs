// Answers without a model: quotations as cards, what can be done with an answer, passages by document, and follow-up questions.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { onAskTab } from "../support/ask-tab.mjs";
import { startDemo } from "../support/demo.mjs";
import { drop, reports } from "../support/files.mjs";
import { useSmallSample } from "../support/small-sample.mjs";

const LEASE = `# Lease

## Rent

The rent is 900 euros a month. It is due on the third working day. Late payment costs 5 euros.

## Notice

Letters are sent to the office in Krems. The tenant may end the lease with three months' notice. The landlord needs six months.

## Duties

The tenant has these duties:

- air the rooms daily
- report damage at once
- keep the stairs clean
`;
const RUNBOOK = `# Runbook

## Restart the payments service

Log in to the host, then restart the payments service:

\`\`\`sh
kubectl rollout restart deploy/payments
kubectl rollout status deploy/payments
\`\`\`

Wait for the **green** light.

## Limits

| Environment | Requests per second | Timeout |
|---|--:|--:|
| production | 500 | 5 s |
| staging | 50 | 2 s |
`;
const RESTART = "How do I restart the payments service?";
let demo;
let page;
let text, done, choose;

before(async () => {
  demo = await startDemo();
  ({ page } = demo);
  ({ text, done, choose } = onAskTab(demo));
  page.setDefaultTimeout(60_000);
  await useSmallSample(page);
  await demo.open();
  await drop(page, { "lease.md": LEASE, "runbook.md": RUNBOOK });
  await reports(page);
  await demo.ready();
});
after(() => demo?.close());

async function ask(question) {
  await demo.ask(question);
  await page.waitForFunction((asked) => document.getElementById("answer-asked").textContent === asked, question);
  await done();
}

const quoted = () => page.locator("#answer-text .quoted").allTextContents();

test("a quotation is a card with its source, and with its surroundings in a quieter tone", async () => {
  await ask("What is the rent?");
  assert.equal(await text("#answer-title"), "Best matching quote");
  assert.deepEqual(await page.locator("#answer-text .quote .source").allTextContents(), ["Lease › Rent"]);
  assert.equal((await quoted()).join(""), "The rent is 900 euros a month.");
  assert.match(await text("#answer-text .quote .words"), /It is due on the third working day\./);
  const [ink, soft] = await page.evaluate(() => [".quoted", ".quote .words"].map((one) => getComputedStyle(document.querySelector("#answer-text").shadowRoot?.querySelector(one)).color));
  assert.notEqual(ink, soft);
  assert.ok(await page.isHidden("#answer .sources"), "the source is not listed twice");
  await page.locator("#answer-text figcaption").click({ position: { x: 200, y: 10 } }); // all of the line opens the document
  await page.waitForSelector("#reader[open] mark.quoted");
  assert.equal(await text("#reader mark.quoted"), "The rent is 900 euros a month.");
  await page.keyboard.press("Escape");
});

test("code, lists and rows of tables are quoted as they are", async () => {
  await ask(RESTART);
  assert.equal(await text("#answer-text pre"), "kubectl rollout restart deploy/payments\nkubectl rollout status deploy/payments");
  assert.match(await page.evaluate(() => getComputedStyle(document.querySelector("#answer-text").shadowRoot?.querySelector("pre code")).fontFamily), /mono/);
  assert.doesNotMatch(await text("#answer-text .body"), /```|\*\*/);
  await demo.screenshot("quote-code");
  await ask("What duties does the tenant have?");
  assert.deepEqual(await page.locator("#answer-text li").allTextContents(), ["air the rooms daily", "report damage at once", "keep the stairs clean"]);
  await demo.screenshot("quote-list");
  await choose("graph");
  await ask("What is the timeout in staging, and how do I restart the payments service?");
  assert.deepEqual(await page.locator("#answer-text .quote .source").allTextContents(), ["Runbook › Limits", "Runbook › Restart the payments service"]);
  assert.deepEqual(await page.locator("#answer-text th").allTextContents(), ["Environment", "Requests per second", "Timeout"]);
  assert.deepEqual(await page.locator("#answer-text td .quoted").allTextContents(), ["staging", "50", "2 s"]);
  assert.deepEqual(await page.locator("#answer-text .cite").allTextContents(), ["1", "2"], "without gaps");
  await demo.screenshot("quote-table", { fullPage: true });
  for (const [width, colorScheme] of /** @type {[number, "light" | "dark"][]} */ ([[768, "light"], [390, "dark"], [320, "light"]])) {
    await page.setViewportSize({ width, height: 844 });
    await page.emulateMedia({ colorScheme });
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, String(width));
    await demo.screenshot(`quote-table-${width}`, { fullPage: true });
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.emulateMedia({ colorScheme: "light" });
  await choose("pipeline");
});

test("an answer is copied with its sources, as plain text and as Markdown, and saved as a file", async () => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await ask(RESTART);
  await page.locator("#answer-actions").getByText("Copy", { exact: true }).click();
  await page.waitForFunction(() => document.querySelector("#answer-actions .hint").textContent === "Copied with its sources.");
  const commands = "kubectl rollout restart deploy/payments\nkubectl rollout status deploy/payments";
  assert.equal(await copied(), `${RESTART}\n\n“Log in to the host, then restart the payments service:\n\n${commands}”\n(Runbook › Restart the payments service)\n`);
  await page.click("#answer-actions >> text=Copy as Markdown");
  await page.waitForFunction((start) => navigator.clipboard.readText().then((now) => now.startsWith(start)), "# ");
  const markdown = await copied();
  assert.ok(markdown.startsWith(`# ${RESTART}\n\n> Log in to the host`), markdown);
  assert.ok(markdown.includes("> ```sh\n> kubectl rollout restart") && markdown.endsWith("> — Runbook › Restart the payments service\n"), markdown);
  const [file] = await Promise.all([page.waitForEvent("download"), page.click("#answer-actions >> text=Save as a file")]);
  assert.equal(file.suggestedFilename(), "how-do-i-restart-the-payments-service.md");
  assert.equal(readFileSync(await file.path(), "utf8"), markdown);
});

test("passages are grouped by document, keep their code, and say in a tooltip how they were found", async () => {
  await page.fill("#question", "payments service limits");
  await page.waitForFunction(() => document.querySelector("#hits").shadowRoot?.querySelector(".found-in:has(pre) .hit + .hit"));
  assert.match(await text("#hits-title"), /^Top \d passages$/);
  const groups = await page.locator("#hits .found-in").evaluateAll((all) => all.map((one) => ({ title: one.querySelector(".path b").textContent, hits: one.querySelectorAll(".hit").length })));
  assert.equal(new Set(groups.map(({ title }) => title)).size, groups.length, "each document is named once");
  assert.ok(groups.find(({ title }) => title === "Runbook").hits > 1);
  assert.match(await text("#hits pre"), /restart deploy\/payments\nkubectl/);
  assert.match((await page.locator("#hits .place").first().getAttribute("title")) ?? "", /^Found by (words|meaning)/);
  assert.doesNotMatch(await text("#hits ol"), /words \+ meaning/);
  await demo.screenshot("passages-grouped", { fullPage: true });
  await page.locator("#hits .hit").first().click(); // all of the passage opens the document
  await page.waitForSelector("#reader[open] mark");
  await page.keyboard.press("Escape");
});

test("a misspelt word is corrected above the passages and where there is no answer", async () => {
  await page.click("#new-question");
  await page.fill("#question", "restart paymnets");
  await page.click("#hits-meant button");
  await page.waitForFunction(() => document.getElementById("answer-asked").textContent === "restart payments");
  await done();
  await ask("kubctl rolout");
  assert.equal(await text("#answer-title"), "No answer found");
  assert.deepEqual(await page.locator("#answer-actions button").allTextContents(), ["Did you mean “kubectl rollout”?", "Add files", "Ask thoroughly", "How this was found"]);
  assert.ok(await page.isHidden("#hits-meant"), "it is offered once");
  await demo.screenshot("did-you-mean", { fullPage: true });
});

test("no correction is offered for a question that is answered", async () => {
  const question = "Is the rent 900 euros a monht?"; // “month” is in the documents
  await page.click("#new-question");
  await page.fill("#question", question);
  await page.waitForSelector("#hits-meant button");
  assert.equal(await text("#hits-meant"), "Did you mean “Is the rent 900 euros a month”?", "one question mark is enough");
  await page.press("#question", "Enter");
  await page.waitForFunction((asked) => document.getElementById("answer-asked").textContent === asked, question);
  await done();
  assert.equal(await text("#answer-title"), "Best matching quote");
  assert.equal(await page.locator("text=Did you mean").count(), 0);
});

test("a follow-up goes on from an answer that was given outside of the thread, also after a reload, until there is a new question", async () => {
  await page.click("#new-question");
  await ask("What is the rent of the lease?");
  assert.ok(!(await page.isChecked("#keep-thread")));
  await page.click("#answer-actions >> text=Ask a follow-up");
  assert.equal(await page.evaluate(() => document.activeElement.id), "question");
  assert.match((await page.getAttribute("#question", "placeholder")) ?? "", /^Ask a follow-up/);
  await page.keyboard.type("And the notice?");
  assert.ok(await page.isVisible("#answer"), "the answer stays in view while its follow-up is typed");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.getElementById("answer-asked").textContent === "And the notice?");
  await done();
  assert.match(await text("#answer-text .body"), /three months' notice/);
  assert.deepEqual(await page.locator("#turns summary").allTextContents(), ["What is the rent of the lease?"]);
  assert.doesNotMatch(await text("#turns .body"), /\[\d/);
  assert.match(await text("#turns .body"), /^The rent is 900 euros a month\./);
  assert.ok((await page.evaluate(() => document.querySelector("#answer").getBoundingClientRect().top)) < 330, "earlier questions take little room");
  await demo.screenshot("follow-up", { fullPage: true });
  await page.reload();
  await page.waitForSelector("#turns details[open]");
  assert.deepEqual(await page.locator("#turns summary").allTextContents(), ["What is the rent of the lease?", "And the notice?"]);
  assert.ok(!(await page.isChecked("#keep-thread")), "the option is as it was set");
  await ask("And the landlord?");
  assert.equal(await page.locator("#turns > li").count(), 2);
  await page.click("#new-question");
  await page.waitForSelector("#thread", { state: "hidden" });
  await ask("And the notice?");
  assert.doesNotMatch(await text("#answer-note"), /Understood as/);
  assert.ok(await page.isHidden("#thread"));
  assert.deepEqual(await page.evaluate(() => vademecum.conversations()), []);
});

test("a question that begins with “and” follows the answer in view, without a button", async () => {
  await page.click("#new-question");
  await ask("What is the rent of the lease?");
  await ask("And the notice?");
  assert.match(await text("#answer-text .body"), /three months' notice/);
  assert.deepEqual(await page.locator("#turns summary").allTextContents(), ["What is the rent of the lease?"]);
  await ask("What does late payment cost?");
  assert.ok(await page.isHidden("#thread"), "a new question ends the thread");
  assert.deepEqual(await page.evaluate(() => vademecum.conversations()), []);
  await page.click("#new-question");
  await ask("And the notice?");
  assert.ok(await page.isHidden("#thread"), "nothing is followed at the start");
});

test("a follow-up to an answer of an earlier thread goes on from that one, and not from the last", async () => {
  const { option } = onAskTab(demo);
  await page.click("#new-question");
  await option("#keep-thread", true);
  await ask("What is the rent of the lease?");
  await option("#keep-thread", false);
  await ask("What does late payment cost?");
  await page.click("#answer-actions >> text=Ask a follow-up");
  await ask("why?");
  await page.evaluate(() => history.go(-2));
  await page.waitForFunction(() => document.getElementById("answer-asked").textContent === "What is the rent of the lease?");
  await done();
  await page.click("#answer-actions >> text=Ask a follow-up");
  await ask("And the notice?");
  assert.deepEqual(await page.locator("#turns summary").allTextContents(), ["What is the rent of the lease?"]);
  await option("#keep-thread", true);
  await page.click("#new-thread");
  await option("#keep-thread", false);
  await page.evaluate(async () => {
    for (const name of await vademecum.conversations()) await vademecum.deleteConversation(name);
  });
});

test("a new question goes on in a thread that the options keep, and a new conversation begins another", async () => {
  await onAskTab(demo).option("#keep-thread", true);
  await ask("And the notice?");
  await page.click("#new-question");
  await page.waitForSelector("#thread:not([hidden])");
  assert.ok(await page.isChecked("#keep-thread"));
  await ask("What does late payment cost?");
  assert.deepEqual(await page.locator("#turns summary").allTextContents(), ["And the notice?"]);
  await page.reload();
  await page.waitForSelector("#thread:not([hidden])");
  await page.waitForSelector("body[data-searchable]");
  assert.deepEqual(await page.locator("#turns summary").allTextContents(), ["And the notice?", "What does late payment cost?"]);
  await page.click("#new-thread");
  await page.waitForSelector("#thread", { state: "hidden" });
  await ask("And the notice?");
  assert.doesNotMatch(await text("#answer-note"), /Understood as/);
  assert.equal(await page.locator("#turns > li").count(), 0);
  await page.click("#new-question");
  await page.click("#new-thread");
});

test("a thread that the options kept stays when they keep none any more, also after a reload and with a follow-up", async () => {
  const names = () => page.evaluate(() => vademecum.conversations());
  await ask("What is the rent of the lease?");
  const kept = await names();
  await page.click("#answer-actions >> text=Ask a follow-up");
  await ask("And the notice?");
  await onAskTab(demo).option("#keep-thread", false);
  await page.reload();
  await page.waitForFunction(() => document.getElementById("answer-asked").textContent === "And the notice?");
  await done();
  await page.click("#new-question");
  await ask("What does late payment cost?");
  assert.deepEqual(await names(), kept);
  await onAskTab(demo).option("#keep-thread", true);
  await page.click("#new-question");
  await page.click("#new-thread");
});

test("a follow-up without words of its own lists the passages of what it continues, and says that it can only search", async () => {
  await ask("What does late payment cost?");
  await ask("why?");
  assert.match(await text("#answer-note"), /^Understood as “What does late payment cost\? Why\?”\. The first quote is the one from before: without a language model, a follow-up can only be searched for\./);
  assert.match(await text("#hits ol"), /Late payment costs 5 euros/);
  await demo.screenshot("follow-up-why", { fullPage: true });
  await ask("What does late payment cost?");
  assert.equal(await text("#answer-note"), "", "a question that stands by itself may have the same answer");
});

test("a follow-up for a time is answered by the quote from before, if that has one", async () => {
  await drop(page, { "office.md": "# Offices\n\nThe Turin office closes on 31 March because its landlord sells the house.\n" });
  await page.waitForFunction(() => /office\.md added/.test(document.querySelector("#file-reports").textContent));
  await ask("Why does the Turin office close?");
  await ask("when?");
  assert.match(await text("#answer-text .quoted"), /31 March/);
  assert.equal(await text("#answer-note"), "Understood as “Why does the Turin office close? When?”.");
});

test("a passage that begins with the words of its heading is listed as a whole", async () => {
  await drop(page, { "ferrets.md": "# Animals\n\n## Ferrets\n\nFerrets sleep eighteen hours a day in hammocks.\n" });
  await page.waitForFunction(() => /ferrets\.md added/.test(document.querySelector("#file-reports").textContent));
  await page.click("#tab-ask");
  await page.click("#new-question");
  await page.fill("#question", "hammocks eighteen hours");
  await page.waitForFunction(() => /hammocks/.test(document.querySelector("#hits").shadowRoot?.querySelector("ol").textContent));
  assert.match(await text("#hits .excerpt"), /^Ferrets sleep eighteen hours/);
});

test("a question typed during a run has its own passages, below the answer to what was asked", async () => {
  await onAskTab(demo).option("#keep-thread", false);
  await page.fill("#question", RESTART);
  await page.evaluate(() => {
    const field = /** @type {HTMLTextAreaElement} */ (document.getElementById("question"));
    field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
    field.value = "hammocks";
    field.dispatchEvent(new Event("input"));
  });
  await page.waitForFunction(() => /** @type {HTMLElement} */ (document.querySelector("#stop-button")).hidden && /hammocks/.test(document.querySelector("#hits").shadowRoot?.querySelector("ol").textContent));
  await done();
  assert.equal(await text("#answer-asked"), RESTART);
  assert.match(await text("#answer-text pre"), /^kubectl rollout restart/);
  assert.equal(await text("#hit-count"), "for “hammocks”");
  await page.fill("#question", "");
  await page.waitForFunction(() => /kubectl/.test(document.querySelector("#hits").shadowRoot?.querySelector("ol").textContent));
  assert.equal(await text("#hit-count"), "");
});

test("an answer stays while another question is typed, until that is asked", async () => {
  await page.fill("#question", "ferets sleep");
  await page.waitForFunction(() => /hammocks/.test(document.querySelector("#hits").shadowRoot?.querySelector("ol").textContent));
  assert.equal(await text("#answer-asked"), RESTART);
  assert.ok(await page.isVisible("#answer-text pre"));
  assert.ok(await page.isVisible("#hits-meant button") || /ferrets sleep/.test(await text("#hit-count")), "what is typed is corrected");
  await page.press("#question", "Enter");
  await page.waitForFunction(() => document.getElementById("answer-asked").textContent === "ferets sleep");
  await done();
});

test("passages of a search that is under way do not appear once the page is back at its start", async () => {
  await page.evaluate(() => {
    const field = /** @type {HTMLTextAreaElement} */ (document.getElementById("question"));
    field.value = "hammocks";
    field.dispatchEvent(new Event("input"));
    document.getElementById("new-question").click();
  });
  await page.waitForTimeout(1500);
  assert.ok(await page.isHidden("#passages"));
});

test("a held Enter asks once", async () => {
  await page.fill("#question", "hammocks");
  const isTaken = await page.evaluate(() => !document.getElementById("question").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", repeat: true, bubbles: true, cancelable: true })));
  assert.deepEqual([isTaken, await page.isHidden("#stop-button"), await page.isHidden("#answer")], [true, true, true]);
});

test("where there is no answer, the sentence that comes nearest stands out in its passage, however far down", async () => {
  const call = "The call-out costs 89 euros and will be billed to your landlord, Ms Dunne.";
  const before = ["We have to move your boiler service because our engineer broke his wrist.", "The new slot is Thursday, 19 March, between 8 and 11.", "Please clear the cupboard with the expansion tank.", "The pressure you reported is too low: top it up to 1.5 bar with the filling loop."];
  await drop(page, { "boiler.md": `# Your boiler service\n\n${[...before, call].join("\n\n")}\n` });
  await reports(page);
  await demo.ready();
  await demo.tab("ask");
  await ask("Who will get the invoice for the boiler visit?");
  assert.equal(await text("#answer-title"), "No clear answer");
  assert.match(await text("#answer-text .body"), /do not clearly answer this question\. The sentence that comes nearest is emphasised below/);
  assert.deepEqual(await page.locator("#hits .near").allTextContents(), [call]);
  const hit = page.locator("#hits .hit", { has: page.locator(".near") });
  assert.ok(await hit.evaluate((hit) => hit.querySelector(".near").getBoundingClientRect().bottom <= hit.getBoundingClientRect().bottom), "it is in view");
  await demo.screenshot("nearest-sentence", { fullPage: true });
  await page.fill("#question", "boiler");
  await page.waitForFunction(() => document.querySelector("#hit-count").textContent.includes("boiler"));
  assert.equal(await page.locator("#hits .near").count(), 0, "it belongs to the question that was asked");
});

test("the console shows no errors", () => assert.deepEqual(demo.complaints, []));
