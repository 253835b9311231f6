// The page in German: for browsers that prefer it, by the address, and by choice. No English text of the page is seen, nothing moves or overflows.

import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import { onAskTab } from "../support/ask-tab.mjs";
import { ARGUMENTS, ORIGIN, startDemo } from "../support/demo.mjs";
import { drop, reports } from "../support/files.mjs";
import { piecesOfPage, scripts, textsOf } from "../support/page-texts.mjs";
import { useSmallSample } from "../support/small-sample.mjs";
import { labelsOf } from "../../../crates/web/js/elements/labels.js";
import * as ask from "../../../www/words/de/ask.js";
import * as engine from "../../../www/words/de/engine.js";
import * as library from "../../../www/words/de/library.js";
import * as page from "../../../www/words/de/page.js";
import * as shell from "../../../www/words/de/shell.js";
import * as tabs from "../../../www/words/de/tabs.js";

const WORDS = Object.assign({}, ...[page, shell, ask, library, tabs].map(({ words }) => words));
/** English texts that are not the same in German. Of those with something inserted, the longest part is looked for. */
const OF_THE_PAGE = [...new Set([...piecesOfPage(), ...scripts().flatMap((name) => textsOf(name).used)])].filter((text) => WORDS[text] !== undefined && WORDS[text] !== text && /\p{L}{2}/u.test(text));
const [LABELS, GERMAN] = ["en", "de"].map((language) => labelsOf(language, null));
/** Those of the elements, with `{0}` for what is inserted. */
const OF_THE_ELEMENTS = Object.keys(LABELS).map((name) => [LABELS, GERMAN].map((texts) => (typeof texts[name] === "function" ? texts[name]("{0}", "{1}") : texts[name]))).filter(([english, german]) => english !== german).map(([english]) => english);
/** What the package says of its steps, beyond single words. */
const OF_THE_AGENT = Object.keys(engine.phrases).filter((text) => /\p{L}{3,} \p{L}{2,}/u.test(text));
const ENGLISH = [...new Set([...OF_THE_PAGE, ...OF_THE_ELEMENTS, ...OF_THE_AGENT])];
const LEASE = "# Mietvertrag\n\nDie Mühle ist an den Müller vermietet und wird von ihm betrieben.\n\n## Kündigungsfrist\n\nDie Kündigungsfrist beträgt sechs Monate zum Ende des Jahres.\n";
const STAFF = "Name,Gehalt,Ort\nAda Byron,61000,Ulm\nAlan Turing,58000,Bonn\n";
const WIDTHS = [1280, 390, 320];

let demo;
let context;
let visit;
let text, done;

before(async () => {
  demo = await startDemo();
});
after(() => demo?.close());

/** Opens the page in a new browser profile of a language. */
async function begin(locale, { address = "/", viewport = { width: 1280, height: 900 }, sample = true } = {}) {
  await context?.close();
  context = await demo.page.context().browser().newContext({ locale, viewport });
  visit = await context.newPage();
  visit.setDefaultTimeout(60_000);
  ({ text, done } = onAskTab({ page: visit }));
  if (sample) await useSmallSample(visit);
  await visit.goto(ORIGIN + address);
  await visit.waitForSelector("body[data-searchable]");
}

/** Returns the English texts that are in sight, in labels, titles and placeholders. */
async function englishSeen() {
  const seen = await visit.evaluate(() => {
    const found = [document.title];
    const isForeign = (element) => element.closest("body [lang], script, style, pre, #examples, option[value='rust-book']") !== null;
    const rootsIn = (root) => [root, ...[...root.querySelectorAll("*")].flatMap(({ shadowRoot }) => (shadowRoot ? rootsIn(shadowRoot) : []))];
    for (const root of rootsIn(document.body)) {
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        const { textContent, parentElement } = walker.currentNode;
        if (textContent.trim() && !isForeign(parentElement) && (parentElement.checkVisibility() || parentElement.closest("[role=status], option"))) found.push(textContent);
      }
      for (const name of ["aria-label", "title", "placeholder"]) {
        for (const element of root.querySelectorAll(`[${name}]`)) if (!isForeign(element)) found.push(element.getAttribute(name));
      }
    }
    return found.map((one) => one.replace(/\s+/g, " ").trim());
  });
  const whole = new Set(ENGLISH);
  const parts = ENGLISH.filter((one) => /\{\d\}/.test(one)).map((one) => one.split(/\{\d\}/).map((part) => part.trim()).sort((a, b) => b.length - a.length)[0]).filter((part) => / /.test(part) && part.length > 8);
  const sentences = ENGLISH.filter((one) => !/\{\d\}/.test(one) && one.split(" ").length > 3);
  return seen.filter((one) => whole.has(one) || [...parts, ...sentences].some((part) => one.includes(part)));
}

const isGerman = async (where) => assert.deepEqual(await englishSeen(), [], where);

test("every tab is in German for a browser that prefers it, also with documents, an answer and its trace", async () => {
  await begin("de-DE");
  assert.equal(await visit.getAttribute("html", "lang"), "de");
  assert.equal(await text("#ask h1"), "Die eigenen Dokumente befragen.");
  await isGerman("the first view");
  await visit.click("#ask-options summary");
  await isGerman("the options");
  await visit.click("#ask-options summary");
  await drop(visit, { "Mietvertrag.md": LEASE, "Personal.csv": STAFF, "leer.txt": "", "bild.png": "kein Text" });
  await reports(visit);
  await visit.waitForSelector('#status[data-state="ready"]');
  assert.equal(await text("#status-text"), "Bereit. Suche nur auf diesem Gerät.");
  await isGerman("the library with reports");
  assert.match(await text("#file-reports"), /Mietvertrag\.md hinzugefügt: \d+ Textstellen/);
  assert.match(await text("#file-reports"), /leer\.txt[^.]*\. Die Datei enthält keinen Text\./, "an empty file is not a scan");
  await visit.click("#paste-text");
  await isGerman("the dialog for text");
  await visit.click("#paste-cancel");
  await visit.click("#delete-all");
  await isGerman("the confirmation");
  await visit.click("dialog.confirm button.quiet");
  await visit.click("#tab-ask");
  await visit.fill("#question", "Welche Kündigungsfrist hat der Mietvertrag?");
  await visit.press("#question", "Enter");
  await done();
  await isGerman("an answer");
  await visit.click("#answer-text .cite");
  await isGerman("the reader");
  await visit.click("#reader [part~=close]");
  await visit.fill("#question", "Wie viele Kraniche nisten im Moor von Quandry?");
  await visit.press("#question", "Enter");
  await done();
  await isGerman("no answer");
  await visit.click("#tab-trace");
  await visit.evaluate(() => document.querySelectorAll("#trace details").forEach((one) => (/** @type {any} */ (one).open = true)));
  await isGerman("the trace");
  await visit.click("#tab-evaluate");
  await visit.click("#make-button");
  await visit.waitForSelector("#cases tr");
  await visit.click("#run-evaluation");
  await visit.waitForSelector("#report:not([hidden])");
  await isGerman("the report");
  await visit.click("#tab-model");
  await visit.fill("#endpoint", "nowhere");
  await visit.click("#save-settings");
  assert.match(await text("#settings-notice"), /ist keine Adresse/);
  await isGerman("the model");
});

test("numbers, sizes and plurals are written as in German", async () => {
  assert.match(await text("#library-size"), /^\d+ Dateien, 2 Zeilen, \d+ Textstellen$/);
  assert.match(await text("#storage-used"), /Die Bibliothek belegt \d+(,\d)? KB/);
  assert.match(await text("#report table.measures"), /[01],\d\d/);
});

for (const width of WIDTHS) {
  test(`nothing is wider than the page in German, and no tab is cut off (${width} px)`, async () => {
    await begin("de-DE", { viewport: { width, height: 800 } });
    await drop(visit, { "Mietvertrag.md": LEASE, "Personal.csv": STAFF });
    await visit.waitForSelector('#status[data-state="ready"]');
    for (const name of ["trace", "library", "evaluate", "model", "ask"]) {
      await visit.click(`#tab-${name}`);
      if (name === "ask") await visit.click("#ask-options summary");
      const { wide, cut } = await visit.evaluate(() => ({
        wide: document.documentElement.scrollWidth,
        cut: [...document.querySelectorAll('[role="tab"], button, .pill span')].filter((one) => one.checkVisibility() && (one.getBoundingClientRect().right > innerWidth + 1 || one.getBoundingClientRect().left < -1)).map((one) => one.textContent),
      }));
      assert.ok(wide <= width, `${name}: ${wide}`);
      assert.deepEqual(cut, [], name);
      await demo.screenshot(`german-${name}-${width}`, { fullPage: true }, visit);
    }
  });
}

for (const width of WIDTHS) test(`the first view is German when it is first painted, and nothing moves (${width} px)`, async () => {
  await begin("de-DE", { viewport: { width, height: 800 } });
  await visit.addInitScript(() => {
    globalThis.shifts = [];
    globalThis.english = [];
    new PerformanceObserver((list) => globalThis.shifts.push(...list.getEntries().map((entry) => /** @type {any} */ (entry).value))).observe({ type: "layout-shift", buffered: true });
    const look = () => {
      const heading = document.querySelector("#ask h1");
      if (heading?.checkVisibility({ visibilityProperty: true }) && heading.textContent === "Ask your documents.") globalThis.english.push(performance.now());
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await visit.goto(`${ORIGIN}/icon.svg`);
  await visit.goto(ORIGIN);
  await visit.waitForSelector('#status[data-state="ready"]');
  assert.deepEqual(await visit.evaluate(() => ({ shifts: globalThis.shifts, english: globalThis.english })), { shifts: [], english: [] });
});

test("English stays English and loads no other texts; the address and the choice decide otherwise, and the choice is remembered", async () => {
  const loaded = [];
  await begin("en-GB");
  visit.on("request", (request) => loaded.push(request.url()));
  await visit.reload();
  await visit.waitForSelector("body[data-searchable]");
  assert.equal(await visit.getAttribute("html", "lang"), "en");
  assert.deepEqual(loaded.filter((url) => url.includes("/words/")), []);
  await visit.goto(`${ORIGIN}/?lang=de#library`);
  await visit.waitForSelector("body[data-searchable]");
  assert.equal(await text("#library h1"), "Bibliothek");
  await visit.click("#tab-ask");
  assert.equal(new URL(visit.url()).search, "?lang=de", "a reload stays in this language");
  await visit.goto(`${ORIGIN}/`);
  await visit.waitForSelector("body[data-searchable]");
  assert.equal(await text("#ask h1"), "Ask your documents.");
  await visit.click("#ask-options summary");
  await visit.click('#language label:has(input[value="de"])');
  await visit.waitForFunction(() => document.querySelector("#ask h1")?.textContent === "Die eigenen Dokumente befragen.");
  await visit.goto(`${ORIGIN}/`);
  await visit.waitForSelector("body[data-searchable]");
  assert.equal(await text("#ask h1"), "Die eigenen Dokumente befragen.");
  assert.ok(await visit.isChecked('#language input[value="de"]'));
});

test("a typed question stays when the language is changed", async () => {
  await begin("en-GB");
  await visit.fill("#question", "owls at night");
  await visit.click("#ask-options summary");
  await visit.click('#language label:has(input[value="de"])');
  await visit.waitForSelector('html[lang="de"] body[data-searchable]');
  assert.equal(await visit.inputValue("#question"), "owls at night");
  await visit.waitForSelector("#hits li");
  await visit.fill("#question", "");
  await visit.reload();
  await visit.waitForSelector("body[data-searchable]");
  assert.equal(await visit.inputValue("#question"), "", "it is put back once");
});

test("a user who stays on the page keeps its language, and nothing is stored of the change", async () => {
  await begin("en-GB");
  await visit.evaluate(() => addEventListener("beforeunload", (event) => Reflect.has(window, "asks") && event.preventDefault()));
  await visit.evaluate(() => Reflect.set(window, "asks", true));
  let asked = 0;
  visit.on("dialog", (dialog) => (asked++, dialog.dismiss()));
  await visit.fill("#question", "owls at night");
  await visit.click("#ask-options summary");
  await visit.click('#language label:has(input[value="de"])');
  await visit.waitForTimeout(500);
  assert.equal(asked, 1);
  assert.ok(await visit.isChecked('#language input[value="en"]'));
  await visit.click("#ask h1"); // the page is used again
  await visit.evaluate(() => Reflect.deleteProperty(window, "asks"));
  const kept = () => visit.evaluate(() => [localStorage.getItem("vademecum.language"), sessionStorage.getItem("vademecum.question"), location.search]);
  assert.deepEqual(await kept(), [null, null, ""]);
  await visit.goto(`${ORIGIN}/icon.svg`);
  assert.deepEqual(await kept(), [null, null, ""]);
  await visit.goto(ORIGIN);
  await visit.waitForSelector('html[lang="en"] body[data-searchable]');
  await visit.click("#ask-options summary");
  await visit.click('#language label:has(input[value="de"])');
  await visit.waitForSelector('html[lang="de"] body[data-searchable]');
});

test("a question that was asked before the German texts had come is told to wait in German", async () => {
  await context?.close();
  context = await demo.page.context().browser().newContext({ locale: "de-DE", serviceWorkers: "block" });
  visit = await context.newPage();
  /** @type {any} */ let goOn;
  const held = new Promise((resolve) => (goOn = resolve));
  await visit.route("**/words/de/*.js", async (route) => (await held, route.continue()));
  await visit.route("**/main.js", (route) => route.abort());
  await visit.goto(ORIGIN, { waitUntil: "commit" });
  await visit.waitForSelector("#ask-form", { state: "attached" });
  await visit.evaluate(() => {
    /** @type {HTMLTextAreaElement} */ (document.querySelector("#question")).value = "owls";
    /** @type {HTMLFormElement} */ (document.querySelector("#ask-form")).requestSubmit();
  });
  await visit.waitForFunction(() => /^Your question/.test(document.querySelector("#ask-said").textContent));
  goOn();
  await visit.waitForFunction(() => document.querySelector("#ask-said").textContent === "Die Frage wird gestellt, sobald die Seite gestartet ist.", null, { timeout: 10_000 });
});

test("where the browser stores nothing, a change of the language asks before documents and a typed question are lost", async () => {
  const profile = await mkdtemp(path.join(tmpdir(), "vademecum-"));
  await mkdir(path.join(profile, "Default"));
  await writeFile(path.join(profile, "Default", "Preferences"), JSON.stringify({ profile: { default_content_setting_values: { cookies: 2 } } }));
  const proxy = { server: demo.proxy.address, bypass: "<-loopback>" };
  const blocked = await chromium.launchPersistentContext(profile, { executablePath: process.env.CHROMIUM, args: ARGUMENTS, proxy, locale: "en-GB" });
  try {
    blocked.setDefaultTimeout(60_000);
    const tab = await blocked.newPage();
    await useSmallSample(tab);
    await tab.goto(ORIGIN);
    await tab.waitForSelector("body[data-searchable]");
    assert.match(await tab.textContent("#notice"), /stores nothing/);
    await drop(tab, { "mine.md": "# Mine\n\nI keep a heron." });
    await reports(tab);
    await tab.click("#tab-ask");
    await tab.fill("#question", "heron");
    await tab.click("#ask-options summary");
    const choose = (name) => tab.click(`#language label:has(input[value="${name}"])`);
    await choose("de");
    assert.equal(await tab.textContent("dialog.confirm p"), "The page loads again, and this browser stores nothing for it. What will be lost: 1 document and the question that you have typed. Your files stay where they are. To keep a copy, export the library first, in the Library tab under Storage.");
    await demo.screenshot("language-lost", {}, tab);
    await tab.click("dialog.confirm button.quiet");
    await tab.waitForSelector("dialog.confirm", { state: "detached" });
    assert.ok(await tab.isChecked('#language input[value="en"]'));
    assert.equal(await tab.inputValue("#question"), "heron");
    // What was added to the sample's collection, and a conversation that is kept, are lost as well.
    await tab.click("#tab-library");
    await tab.selectOption("#collection", "rust-book");
    await drop(tab, { "owl.md": "# Owl\n\nMy own owl." });
    await reports(tab);
    await tab.click("#tab-ask");
    await tab.click('label:has(#keep-thread)');
    await tab.fill("#question", "What do I keep?");
    await tab.press("#question", "Enter");
    await tab.waitForFunction(() => vademecum.conversations().then((names) => names.length > 0));
    await tab.waitForSelector("#stop-button", { state: "hidden" });
    await tab.evaluate(() => (/** @type {HTMLDetailsElement} */ (document.querySelector("#ask-options")).open = true));
    await choose("de");
    assert.match(await tab.textContent("dialog.confirm p"), /What will be lost: 2 documents and the conversation( and the question that you have typed)?\. Your files/);
    await tab.click("dialog.confirm button.primary");
    await tab.waitForSelector('html[lang="de"] body[data-searchable]');
    await tab.fill("#question", "owls");
    await tab.click("#ask-options summary");
    await choose("en");
    assert.equal(await tab.textContent("dialog.confirm p"), "Die Seite lädt neu, und dieser Browser speichert nichts für sie. Verloren geht: die eingegebene Frage.");
    await tab.click("dialog.confirm button.quiet");
    await tab.fill("#question", "");
    await choose("en");
    await tab.waitForSelector('html[lang="en"] body[data-searchable]');
  } finally {
    await blocked.close();
    await rm(profile, { recursive: true, force: true });
  }
});

test("of several languages of the browser the first that the page has decides", async () => {
  await begin("fr-FR");
  assert.equal(await visit.getAttribute("html", "lang"), "en");
  await context.close();
  context = await demo.page.context().browser().newContext();
  await context.addInitScript(() => Object.defineProperty(navigator, "languages", { get: () => ["fr-FR", "de-AT", "en"] }));
  visit = await context.newPage();
  await useSmallSample(visit);
  await visit.goto(ORIGIN);
  await visit.waitForSelector("body[data-searchable]");
  assert.equal(await visit.getAttribute("html", "lang"), "de");
});

test("without its texts the page works in English", async () => {
  await context.close();
  context = await demo.page.context().browser().newContext({ locale: "de-DE" });
  visit = await context.newPage();
  await useSmallSample(visit);
  await visit.route("**/words/de/*.js", (route) => route.abort());
  await visit.goto(ORIGIN);
  await visit.waitForSelector("body[data-searchable]");
  assert.ok(await visit.isVisible("#ask h1"));
  assert.equal(await visit.textContent("#ask h1"), "Ask your documents.");
  assert.equal(await visit.getAttribute("html", "lang"), "en");
});
