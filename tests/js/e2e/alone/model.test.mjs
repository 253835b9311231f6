// The Model tab: valid and invalid endpoints, the browser's built-in model, a model in the tab, and no model.

import assert from "node:assert/strict";
import http from "node:http";
import { after, before, beforeEach, test } from "node:test";
import { LLM, ORIGIN, startDemo, untilTrue } from "../../support/demo.mjs";
import { listen } from "../../support/listen.mjs";
import { useSmallSample } from "../../support/small-sample.mjs";
import { tinyGguf } from "../../support/tiny-gguf.mjs";

const QUESTION = "Why do owls fly without a sound?";
let demo;
let page;
let llm;
const servers = [];

before(async () => {
  // No server listens on port 1.
  demo = await startDemo({
    routes: {
      "nobody.test": "http://127.0.0.1:1",
      "silent.test": await serve(() => {}),
      "all-moved.test": await serve((_, response) => response.writeHead(307, { location: "http://moved.test/v1" }).end()),
      "[::1]:8082": "http://127.0.0.1:1",
      "moved.test": await serve(({ method }, response) => {
        const allowed = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" };
        if (method === "POST") response.writeHead(307, { ...allowed, location: "http://elsewhere.test/v1/chat/completions" }).end();
        else response.writeHead(200, allowed).end("{}");
      }),
      // Refuses every connection after a delay.
      "slow.test": await serve(({ url }, response) => url !== "/v1" && response.writeHead(200).end("{}")),
    },
  });
  ({ page, llm } = demo);
  await useSmallSample(page); // the test model uses one token per byte
  await page.addInitScript(standIn);
  await demo.open();
  await demo.tab("model");
});
after(async () => {
  await demo?.close();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(answer) {
  const server = http.createServer(answer);
  servers.push(server);
  return listen(server);
}
beforeEach(() => Object.assign(llm, { behaviour: "json", answer: "Ready.", cors: true, models: [] }));

/**
 * A mock of the browser's built-in model, which Chromium lacks here. It follows the Prompt API's specification in the parts that the page uses:
 * `availability`, `create` with `monitor`, `initialPrompts` and `signal`, `promptStreaming` with `responseConstraint`, `destroy`.
 */
function standIn() {
  let state = "downloadable";
  const sessions = (window.sessionsOfStandIn = []);
  class LanguageModel {
    /** @type {any[]} */ prompts = [];
    destroyed = false;
    static async availability() {
      return state;
    }
    static async create(/** @type {any} */ { initialPrompts = [], monitor, signal } = {}) {
      signal?.throwIfAborted();
      if (initialPrompts.slice(1).some(({ role }) => role === "system")) throw new TypeError("A system prompt must come first.");
      const session = Object.assign(new LanguageModel(), { initialPrompts });
      sessions.push(session);
      if (state === "downloadable") {
        if (!navigator.userActivation.isActive) throw new DOMException("A user gesture is required.", "NotAllowedError");
        const events = new EventTarget();
        monitor?.(events);
        for (const loaded of [0, 0.5, 1]) events.dispatchEvent(Object.assign(new Event("downloadprogress"), { loaded, total: 1 }));
        await Promise.race([window.mayFetch, new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)))]);
        state = "available";
      }
      return session;
    }
    promptStreaming(messages, /** @type {any} */ { responseConstraint, signal } = {}) {
      if (this.destroyed) throw new DOMException("The session is gone.", "InvalidStateError");
      this.prompts.push({ messages, responseConstraint });
      const parts = responseConstraint ? ['{"sub_questions":', " []}"] : ["The browser's own ", "model says so [1]."];
      return new ReadableStream({
        start(controller) {
          signal?.addEventListener("abort", () => controller.error(signal.reason));
        },
        pull: (controller) => (parts.length > 0 ? controller.enqueue(parts.shift()) : controller.close()),
      });
    }
    destroy() {
      this.destroyed = true;
    }
  }
  window.mayFetch = new Promise((resolve) => (window.letFetch = resolve));
  window.LanguageModel = LanguageModel;
}

async function probe({ endpoint = `${LLM}/v1`, model = "stub-model", key = "" } = {}) {
  await page.fill("#endpoint", endpoint);
  await page.fill("#model-name", model);
  await page.fill("#key", key);
  await page.click("#probe");
  await page.waitForSelector('#probe-outcome:not([hidden]):not([data-state="busy"]), #settings-notice:not([hidden])');
  const told = await page.locator("#settings-notice").isVisible() ? "#settings-notice" : "#probe-outcome";
  return { text: await page.textContent(told), state: await page.getAttribute("#probe-outcome", "data-state") };
}

const answered = () => page.waitForSelector("#ask-button:not([hidden])");
const inUse = () => page.textContent("#model-now");

test("an invalid address is reported in a sentence, and nothing is sent", async () => {
  const cases = {
    "": /Enter the address/,
    localhost: /“localhost” is not an address/,
    "ftp://files.test/": /must start with http/,
    "localhost:11434/v1": /must start with http.*Did you mean http:\/\/localhost:11434\/v1/,
    "http://me:secret@llm.test/v1": /must not contain a user name or password/,
    "http://:secret@llm.test/v1": /must not contain a user name or password/,
    "http://llm.test/v1?key=secret": /must not contain a “\?”.*Enter a key in its own field/,
  };
  for (const [endpoint, sentence] of Object.entries(cases)) assert.match((await probe({ endpoint })).text, sentence);
  assert.equal(llm.requests.length, 0);
  await demo.screenshot("model-no-address", { fullPage: true });
});

test("the test of an endpoint asks for one word, reports the outcome, and offers the names of its models", async () => {
  llm.models = ["stub-model", "other-model"];
  const { text, state } = await probe({ key: "secret-key" });
  assert.match(text, /^It answered “Ready\.” after [\d.]+ s\.$/);
  assert.equal(state, "good");
  const { key, body } = llm.requests.at(-1);
  assert.deepEqual([key, body.model, body.messages.length, body.stream], ["Bearer secret-key", "stub-model", 1, false]);
  assert.deepEqual(await page.locator("#model-names option").evaluateAll((options) => options.map(({ value }) => value)), llm.models);
  assert.match(await inUse(), /^In use: none/, "a test uses nothing");
  await demo.screenshot("model-tested", { fullPage: true });
});

test("each kind of bad endpoint has a sentence that a person can act on", async () => {
  /** @type {[string, { endpoint?: string, key?: string }, RegExp][]} */
  const cases = [
    ["unauthorised", { key: "wrong" }, /refused the key \(HTTP 401\)\. Check the key.*bad key/],
    ["unauthorised", {}, /requires a key \(HTTP 401\)\. Enter one/],
    ["unknown", {}, /does not know the model “stub-model”\. Check its name\. It has a, b\. .*try pulling it first/],
    ["missing", {}, /does not exist there \(HTTP 404\)\. .*ends in \/v1/],
    ["busy", {}, /accepts no more requests for now \(HTTP 429\).*quota used up/],
    ["fail", {}, /failed \(HTTP 500\)\. Check its log.*out of memory/],
    ["text", {}, /A server answered, but with text\/html instead of JSON: this is not an OpenAI-compatible endpoint/],
    ["other", {}, /answered with JSON, but without a model’s reply/],
  ];
  llm.models = ["a", "b"];
  for (const [behaviour, settings, sentence] of cases) {
    llm.behaviour = behaviour;
    const { text, state } = await probe(settings);
    assert.match(text, sentence, behaviour);
    assert.equal(state, "bad", behaviour);
  }
  await demo.screenshot("model-not-one", { fullPage: true });
});

test("a server that refuses the page (CORS) is distinguished from no server", async () => {
  llm.cors = false;
  assert.match((await probe()).text, /A server answers at http:\/\/llm\.test\/v1, but does not allow this page \(CORS\)\. Allow requests from http:\/\/vademecum\.test/);
  assert.match((await probe({ endpoint: "http://nobody.test/v1" })).text, /No server answers at http:\/\/nobody\.test\/v1\. Is it running/);
});

test("a server that is not reached, or does not list its models, is used, and the page says so until none is used", async () => {
  llm.cors = false;
  const said = {
    "http://nobody.test/v1": "^It is in use, but was not reached\\. No server answers at http://nobody\\.test/v1\\. Is it running",
    "http://llm.test/v1": "^It is in use, but http://llm\\.test/v1 did not list its models\\. “Test it” asks it a question",
  };
  for (const [endpoint, sentence] of Object.entries(said)) {
    await page.fill("#endpoint", endpoint);
    await page.click('#settings-form button[type="submit"]');
    await page.waitForFunction((sentence) => new RegExp(sentence).test(document.querySelector("#probe-outcome").textContent), sentence);
    assert.match(await inUse(), new RegExp(new URL(endpoint).host));
  }
  await page.click("#forget-llm");
  assert.ok(await page.isHidden("#probe-outcome"));
});

test("for an endpoint that redirects requests, the sentence asks for the other address", async () => {
  for (const endpoint of ["http://moved.test/v1", "http://all-moved.test/v1"]) {
    assert.match((await probe({ endpoint })).text, /^A server answers at .*does not allow this page \(CORS\).*If it redirects requests to another address, enter that address/);
  }
});

test("for an IPv6 endpoint, the sentence covers both a missing server and a refusal", async () => {
  assert.match((await probe({ endpoint: "http://[::1]:8082/v1" })).text, /^This page can read no response from http:\/\/\[::1\]:8082\/v1\. Check whether it is running.*If so, it does not allow this page \(CORS\)/);
});

test("a key that no header can contain is refused, and its field gets the focus", async () => {
  for (const key of ["sk-abc…xyz", "••••••••", "two words"]) {
    assert.match((await probe({ key })).text, /The key contains a space, or a character that keys do not have.*copy the whole key again/, key);
    assert.equal(await page.evaluate(() => document.activeElement.id), "key");
  }
  await demo.screenshot("model-no-key");
});

test("a key is not sent to another server when the address is changed", async () => {
  const looked = (origin) => page.waitForRequest((request) => request.url() === `${origin}/v1/models` && request.method() === "GET").then((request) => request.headers().authorization);
  await page.fill("#endpoint", `${LLM}/v1`);
  const first = looked(LLM);
  await page.fill("#key", "key-of-one");
  await page.press("#key", "Tab");
  assert.equal(await first, "Bearer key-of-one");
  const second = looked("http://nobody.test");
  await page.fill("#endpoint", "http://nobody.test/v1");
  await page.press("#endpoint", "Tab");
  assert.equal(await second, undefined);
  await page.fill("#key", "");
});

test("an endpoint that is slow is distinguished from one without a server", async () => {
  await page.evaluate(() => {
    const { timeout } = AbortSignal;
    AbortSignal.timeout = (ms) => timeout.call(AbortSignal, ms / 40);
    window.patient = () => (AbortSignal.timeout = timeout);
  });
  llm.behaviour = "hang";
  assert.match((await probe()).text, /http:\/\/llm\.test\/v1 did not answer within 90 seconds\. A server is there, and may still be loading the model/);
  assert.match((await probe({ endpoint: "http://silent.test/v1" })).text, /http:\/\/silent\.test\/v1 did not answer within 90 seconds\. There may be no server: is it running/);
  await page.evaluate(() => window.patient());
});

test("a test can be stopped while it probes for a server", async () => {
  await page.fill("#endpoint", "http://slow.test/v1");
  await page.fill("#key", "");
  const knocked = page.waitForRequest("http://slow.test/v1");
  await page.click("#probe");
  await knocked;
  await page.click("#probe");
  await page.waitForSelector('#probe-outcome[data-state="bad"]', { timeout: 4_000 }); // the timeout would be eight seconds
  assert.match(await page.textContent("#probe-outcome"), /was stopped/);
});

test("a test can be stopped", async () => {
  llm.behaviour = "hang";
  const gone = llm.gone;
  const before = llm.requests.length;
  await page.fill("#endpoint", `${LLM}/v1`);
  await page.click("#probe");
  await page.waitForSelector('#probe-outcome[data-state="busy"]');
  for (let wait = 0; wait < 200 && llm.requests.length === before; wait++) await new Promise((resolve) => setTimeout(resolve, 20));
  await page.click("#probe");
  await page.waitForSelector('#probe-outcome[data-state="bad"]');
  assert.match(await page.textContent("#probe-outcome"), /was stopped/);
  for (let wait = 0; wait < 100 && llm.gone === gone; wait++) await new Promise((resolve) => setTimeout(resolve, 20));
  assert.ok(llm.gone > gone, "the connection was closed");
});

test("a running test is abandoned when the address or the key is edited", async () => {
  llm.behaviour = "stream";
  llm.models = ["of-the-old-one"];
  for (const [field, value] of [["#endpoint", "http://nobody.test/v1"], ["#key", "another-key"]]) {
    /** @type {any} */ let goOn;
    llm.go = new Promise((resolve) => (goOn = resolve));
    const gone = llm.gone;
    await page.fill("#endpoint", `${LLM}/v1`);
    await page.fill("#key", "");
    await page.evaluate(() => document.querySelector("#model-names").replaceChildren());
    const before = llm.requests.length;
    await page.click("#probe");
    for (let wait = 0; wait < 200 && llm.requests.length === before; wait++) await new Promise((resolve) => setTimeout(resolve, 20));
    await page.fill(field, value);
    assert.equal(await page.textContent("#probe"), "Test it", "another test can begin");
    assert.ok(await page.isHidden("#probe-outcome"));
    for (let wait = 0; wait < 100 && llm.gone === gone; wait++) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.ok(llm.gone > gone, "the connection was closed");
    goOn();
    const { text } = await probe({ endpoint: "http://nobody.test/v1" });
    assert.match(text, /No server answers at http:\/\/nobody\.test/);
    assert.equal(await page.locator("#model-names option").count(), 0, "the names are not those of the old one");
  }
});

test("the tab names the model in use, and the privacy notice says where questions are sent", async () => {
  const promise = await page.textContent("#promise");
  await demo.useLlm("secret-key");
  assert.equal(await page.textContent("#llm-name"), "stub-model");
  assert.match(await page.textContent("#promise"), /are sent to the language model you chose/);
  await demo.tab("model");
  assert.equal(await inUse(), "In use: stub-model, at llm.test.");
  await page.click("#forget-llm");
  assert.equal(await page.textContent("#llm-name"), "none");
  assert.equal(await page.textContent("#promise"), promise);
});

test("address and model are remembered, the key is stored nowhere", async () => {
  await demo.useLlm("secret-key");
  await demo.tab("model");
  await page.fill("#endpoint", `${LLM}/v1/chat/completions#secret-key`);
  await page.click("#save-settings");
  await page.reload();
  await page.waitForSelector("body[data-searchable]");
  await demo.tab("model");
  assert.deepEqual(await Promise.all(["#endpoint", "#model-name", "#key"].map((field) => page.inputValue(field))), [`${LLM}/v1`, "stub-model", ""]);
  assert.match(await inUse(), /none/, "nothing is sent to a remembered address unasked");
  const kept = await page.evaluate(async () => {
    const requests = await Promise.all((await caches.keys()).map(async (name) => (await (await caches.open(name)).keys()).map(({ url }) => url)));
    const databases = await Promise.all((await indexedDB.databases()).map(({ name }) => new Promise((resolve) => {
      const opened = indexedDB.open(name);
      opened.onsuccess = () => {
        const stores = [...opened.result.objectStoreNames];
        if (stores.length === 0) return resolve([]);
        const all = stores.map((store) => new Promise((done) => (opened.result.transaction(store).objectStore(store).getAll().onsuccess = (/** @type {any} */ { target }) => done(target.result))));
        resolve(Promise.all(all));
      };
    })));
    return JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state, requests, databases]);
  });
  assert.ok(kept.includes("stub-model"), "what is kept was looked at");
  assert.ok(!kept.includes("secret-key"));
  assert.ok(!(await page.content()).includes("secret-key"));
});

test("the browser's model is downloaded with progress, can be cancelled, answers, and is released", async () => {
  await demo.tab("model");
  assert.match(await page.textContent("#built-in-state"), /must download it first/);
  await page.click("#built-in-use");
  await page.waitForSelector("#built-in-progress:not([hidden])");
  await page.click("#built-in-cancel");
  await page.waitForSelector('#built-in-outcome[data-state="bad"]');
  assert.match(await page.textContent("#built-in-outcome"), /Cancelled/);
  assert.match(await inUse(), /none/);

  await page.evaluate(() => letFetch());
  await page.click("#built-in-use");
  await page.waitForSelector("#built-in.is-used");
  assert.match(await inUse(), /nothing leaves this device/);
  assert.match(await page.textContent("#promise"), /^Private: your files stay in this browser\.$/);
  await demo.ask(QUESTION);
  await answered();
  assert.match(await page.textContent("#answer-text .body"), /The browser's own model says so/);
  const { sessions, prompts } = await page.evaluate(() => ({
    sessions: sessionsOfStandIn.map(({ destroyed }) => destroyed),
    prompts: sessionsOfStandIn.at(-1).prompts.map(({ messages }) => messages.at(-1)),
  }));
  assert.equal(prompts[0].role, "user");
  assert.match(prompts[0].content, /Why do owls fly/);
  assert.deepEqual(sessions.slice(1), [false, true], "a request's session is gone, that of the page stays");
  await page.evaluate(() => document.getElementById("ask-veto").click());
  await demo.ask(QUESTION);
  await page.waitForSelector("#veto[open]");
  assert.match(await page.textContent("#veto-where"), /to built-in, which is on this device\.$/);
  await page.click('#veto button[value="allow"]');
  await answered();
  await page.evaluate(() => document.getElementById("ask-veto").click());
  await demo.tab("model");
  await demo.screenshot("model-built-in", { fullPage: true });
  await page.click("#forget-llm");
  assert.ok(await page.evaluate(() => sessionsOfStandIn.slice(1).every(({ destroyed }) => destroyed)));
});

test("an invalid model file is refused in a sentence, and the previous model stays", async () => {
  await demo.tab("model");
  await page.setInputFiles("#gguf", { name: "notes.gguf", mimeType: "", buffer: Buffer.from("# Notes") });
  await page.waitForSelector('#in-tab-outcome[data-state="bad"]');
  assert.match(await page.textContent("#in-tab-outcome"), /notes\.gguf is not a GGUF file/);
  await page.setInputFiles("#gguf", { name: "half.gguf", mimeType: "", buffer: tinyGguf().subarray(0, 4000) });
  await page.waitForFunction(() => /half\.gguf could not/.test(document.getElementById("in-tab-outcome").textContent));
  assert.match(await page.textContent("#in-tab-outcome"), /may be damaged/);
  await page.fill("#gguf-address", "http://elsewhere.test/model.gguf");
  await page.click("#in-tab-fetch");
  await page.waitForFunction(() => /only fetch files from its own site/.test(document.getElementById("in-tab-outcome").textContent));
  assert.match(await inUse(), /none/);
});

test("a small model runs in the tab, answers, and is unloaded", async () => {
  await page.setInputFiles("#gguf", { name: "tiny.gguf", mimeType: "", buffer: tinyGguf() });
  await page.waitForSelector("#in-tab.is-used", { timeout: 120_000 });
  assert.equal(await inUse(), "In use: tiny, in this tab; nothing leaves it.");
  await demo.ask(QUESTION);
  await page.waitForFunction(() => /^ ?ready/.test(document.querySelector("#answer-text").shadowRoot?.querySelector(".body").textContent), null, { timeout: 120_000 });
  await answered();
  await demo.screenshot("model-in-tab-answer", { fullPage: true });
  await demo.tab("model");
  await demo.screenshot("model-in-tab", { fullPage: true });
  await page.click("#forget-llm");
  assert.match(await inUse(), /none/);
});

test("removing a model during a run ends the run's wait, and the page says so", async () => {
  await page.setInputFiles("#gguf", { name: "tiny.gguf", mimeType: "", buffer: tinyGguf() });
  await page.waitForSelector("#in-tab.is-used", { timeout: 120_000 });
  // As soon as the model is asked to generate a reply.
  await page.evaluate(() => {
    const { postMessage } = Worker.prototype;
    Worker.prototype.postMessage = function (message, ...rest) {
      postMessage.call(this, message, ...rest);
      if (message?.args?.[0] !== "get_result") return;
      Worker.prototype.postMessage = postMessage;
      document.getElementById("forget-llm").click();
    };
  });
  await demo.ask("What do owls fly without?");
  await page.waitForFunction(() => document.getElementById("answer-actions").children.length > 0, null, { timeout: 60_000 });
  assert.match(await page.textContent("#answer-title"), /^(Best matching|Nearest) quotes?$/);
  assert.match(await page.textContent("#notice"), /tiny was removed from this tab during a request/);
  await demo.screenshot("model-taken-out", { fullPage: true });
  await demo.tab("model");
});

test("a dropped model is loaded, kept if the user wants it, and in use again after a reload", async () => {
  await page.check("#keep-gguf");
  const drop = (name, bytes) => page.evaluate(([name, bytes]) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([new Uint8Array(/** @type {any} */ (bytes))], /** @type {any} */ (name)));
    const fire = (type) => document.getElementById("in-tab-title").dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
    fire("dragover");
    const isTarget = document.getElementById("in-tab").classList.contains("is-target") && document.getElementById("drop").hidden;
    fire("drop");
    return isTarget;
  }, [name, bytes]);
  assert.ok(await drop("dropped.gguf", [...tinyGguf()]), "the card is marked, and the library does not cover it");
  await page.waitForSelector("#in-tab.is-used", { timeout: 120_000 });
  assert.equal(await inUse(), "In use: dropped, in this tab; nothing leaves it.");
  await page.reload();
  await page.waitForSelector("#in-tab.is-used", { timeout: 120_000, state: "attached" });
  await demo.tab("model");
  assert.equal(await inUse(), "In use: dropped, in this tab; nothing leaves it.");
  assert.ok(await page.isVisible("#model-restored"));
  assert.ok(await page.isHidden("#model-absent"));
  await page.click("#forget-llm");
  assert.match(await inUse(), /none/);
  await page.click("#in-tab-load:text('Load dropped.gguf again')");
  await page.waitForSelector("#in-tab.is-used", { timeout: 120_000 });
  await page.uncheck("#keep-gguf");
  await untilTrue(page, async () => {
    const names = [];
    for await (const name of /** @type {any} */ (await navigator.storage.getDirectory()).keys()) names.push(name);
    return !names.includes("language-model");
  });
  await page.reload();
  await page.waitForSelector("body[data-searchable]");
  await demo.tab("model");
  await page.waitForFunction(() => /^In use: none\. dropped was in use before the page was reloaded: its file has to be chosen again\./.test(document.getElementById("model-now").textContent));
  await page.click("#tab-ask");
  await page.click("#absent-without");
  await demo.tab("model");
});

test("of a large model the page says size, memory and time, and loads it only when the user agrees", async () => {
  await page.route("**/models/large.gguf", (route) => route.fulfill({ status: 200, headers: { "content-length": "900000000" }, body: "" }));
  await page.fill("#gguf-address", "models/large.gguf");
  await page.click("#in-tab-fetch");
  await page.waitForSelector("#in-tab-load:not([hidden])");
  assert.equal(await page.textContent("#in-tab-outcome"), "large.gguf: 900 MB, about 1140 MB of memory, and about 15 s to load. Load it?");
  assert.match(await inUse(), /none/);
  await demo.screenshot("model-large", { fullPage: true });
  await page.unroute("**/models/large.gguf");
  await page.reload();
  await page.waitForSelector("body[data-searchable]");
  await demo.tab("model");
});

test("only the chosen endpoints were requested", () => {
  assert.deepEqual(demo.origins(), [LLM, "http://[::1]:8082", "http://all-moved.test", "http://moved.test", "http://nobody.test", "http://silent.test", "http://slow.test", ORIGIN].sort());
});

test("on a phone and in dark mode nothing is wider than the screen", async () => {
  await demo.screenshot("model-desktop", { fullPage: true });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: "dark" });
  await demo.tab("model");
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
  await demo.screenshot("model-phone-dark", { fullPage: true });
});
