// The test of a server in the Model tab, against servers with the faults that people meet: what is said tells them apart, and what to type.

import assert from "node:assert/strict";
import http from "node:http";
import { after, before, test } from "node:test";
import { LLM, ORIGIN, startDemo } from "../support/demo.mjs";
import { listen } from "../support/listen.mjs";
import { useSmallSample } from "../support/small-sample.mjs";

const servers = [];
let demo;
let page;
let asked = [];

const ALLOWED = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" };
const json = (response, status, value, headers = ALLOWED) => response.writeHead(status, { ...headers, "content-type": "application/json" }).end(JSON.stringify(value));
const LIST = { object: "list", data: [{ id: "small-model" }, { id: "large-model" }] };
const ANSWER = { choices: [{ message: { content: "ready" } }] };

async function serve(answer) {
  const server = http.createServer((request, response) => {
    asked.push(`${request.method} ${request.headers.host}${request.url}`);
    if (request.method === "OPTIONS" && answer.preflight !== false) return response.writeHead(204, ALLOWED).end();
    return answer(request, response);
  });
  servers.push(server);
  return listen(server);
}

/** Has the interface below a path, and a web page elsewhere. */
const below = (path) => ({ method, url }, response) => {
  if (!url.startsWith(`${path}/`)) return response.writeHead(200, { ...ALLOWED, "content-type": "text/html" }).end("<h1>Ollama is running</h1>");
  return json(response, 200, method === "GET" ? LIST : ANSWER);
};
/** Refuses other origins as Ollama does: with 403, and without a header for pages. */
const refusing = Object.assign((_, response) => response.writeHead(403).end(), { preflight: false });
/** Needs a key for everything, as services do. */
const keyed = ({ method, headers }, response) => {
  if (headers.authorization !== "Bearer right") return json(response, 401, { error: { message: "Incorrect API key provided." } });
  return json(response, 200, method === "GET" ? LIST : ANSWER);
};
/** Knows the key, and refuses the model. */
const forbidding = ({ method }, response) => (method === "GET" ? json(response, 200, LIST) : json(response, 403, { error: { message: "Your plan does not include this model." } }));
const modelless = ({ method }, response) => (method === "GET" ? json(response, 200, LIST) : json(response, 404, { error: { message: 'model "other" not found', code: "model_not_found" } }));

before(async () => {
  demo = await startDemo({
    routes: {
      "root.test": await serve(below("/v1")),
      "deep.test": await serve(below("/api/v1")),
      "refusing.test": await serve(refusing),
      "localhost:11434": await serve(refusing),
      "keyed.test": await serve(keyed),
      "forbidding.test": await serve(forbidding),
      "modelless.test": await serve(modelless),
      "nobody.test": "http://127.0.0.1:1",
    },
  });
  ({ page } = demo);
  await useSmallSample(page);
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

async function tested(endpoint, { model = "small-model", key = "" } = {}) {
  await page.fill("#endpoint", endpoint);
  await page.fill("#model-name", model);
  await page.fill("#key", key);
  await page.click("#probe");
  await page.waitForSelector('#probe-outcome:not([hidden]):not([data-state="busy"]), #settings-notice:not([hidden])');
  return page.textContent((await page.locator("#settings-notice").isVisible()) ? "#settings-notice" : "#probe-outcome");
}

test("models are offered as soon as an address is entered, before a test, and one can be chosen by a click", async () => {
  asked = [];
  await page.fill("#endpoint", "http://root.test/v1");
  await page.fill("#model-name", "");
  await page.waitForSelector("#models-offered:not([hidden]) >> text=large-model");
  assert.ok(asked.every((one) => !one.startsWith("POST")), "no question is sent");
  assert.deepEqual(await page.locator("#models-offered button").allTextContents(), ["small-model", "large-model"]);
  await demo.screenshot("model-offered", { fullPage: true });
  await page.click("#models-offered >> text=large-model");
  assert.equal(await page.inputValue("#model-name"), "large-model");
  assert.equal(await page.getAttribute("#models-offered button:nth-child(2)", "aria-pressed"), "true");
  await page.fill("#endpoint", "http://nobody.test/v1");
  assert.equal(await page.locator("#models-offered button").count(), 0, "those of another server are gone");
});

test("a preset fills in the address, explains the setting of its server, and asks for its models", async () => {
  await page.click("#presets >> text=Ollama");
  assert.equal(await page.inputValue("#endpoint"), "http://localhost:11434/v1");
  assert.match(await page.textContent("#endpoint-hint"), /OLLAMA_ORIGINS=http:\/\/vademecum\.test ollama serve/);
  await page.click("#presets >> text=LM Studio");
  assert.match(await page.textContent("#endpoint-hint"), /Enable CORS/);
  await page.click("#presets >> text=Another server");
  assert.equal(await page.inputValue("#endpoint"), "");
  assert.equal(await page.evaluate(() => document.activeElement.id), "endpoint");
});

test("a page instead of the interface leads to the address where the server has it, which one click enters and tests", async () => {
  for (const [endpoint, found] of [["http://root.test", "http://root.test/v1"], ["http://deep.test/v1", "http://deep.test/api/v1"]]) {
    const said = await tested(endpoint);
    assert.match(said, new RegExp(`with text/html instead of JSON.*It answers at ${found.replaceAll(".", "\\.")}: enter that address\\.$`), endpoint);
    await page.click(`#probe-fix:text("Use ${found}")`);
    await page.waitForSelector('#probe-outcome[data-state="good"]');
    assert.equal(await page.inputValue("#endpoint"), found);
    assert.ok(await page.isHidden("#probe-fix"));
  }
});

test("a server that refuses this page is told from one that is not there, with the setting of that server", async () => {
  assert.match(await tested("http://refusing.test/v1"), /^A server answers at http:\/\/refusing\.test\/v1, but does not allow this page \(CORS\)\. Allow requests from http:\/\/vademecum\.test/);
  assert.match(await tested("http://localhost:11434/v1"), /does not allow this page \(CORS\).*Ollama: Start it with OLLAMA_ORIGINS=http:\/\/vademecum\.test/);
  assert.match(await tested("http://nobody.test/v1"), /^No server answers at http:\/\/nobody\.test\/v1\. Is it running/);
});

test("a missing key, a wrong key, and a key without the model are told apart", async () => {
  assert.match(await tested("http://keyed.test/v1"), /requires a key \(HTTP 401\)\. Enter one\..*Incorrect API key/);
  assert.match(await tested("http://keyed.test/v1", { key: "wrong" }), /refused the key \(HTTP 401\)\. Check the key/);
  assert.match(await tested("http://keyed.test/v1", { key: "right" }), /^It answered “ready”/);
  assert.match(await tested("http://forbidding.test/v1", { key: "right" }), /refused the key \(HTTP 403\).*whether it may use this model.*Your plan does not include/);
  assert.match(await tested("http://modelless.test/v1", { model: "other" }), /does not know the model “other”\. Check its name\. It has small-model, large-model\./);
});

test("a browser that denies the local network is named as the cause", async () => {
  const session = await page.context().newCDPSession(page);
  const { targetInfo: { browserContextId } } = await session.send("Target.getTargetInfo");
  const set = async (setting) => {
    for (const name of ["local-network-access", "loopback-network"]) await session.send("Browser.setPermission", { permission: { name }, setting, origin: ORIGIN, browserContextId });
  };
  await set("denied");
  assert.match(await tested("http://localhost:11434/v1"), /^The browser does not let this page reach programs on this device\. Click the icon/);
  await set("prompt");
  assert.match(await tested("http://localhost:11434/v1"), /^A server answers at/);
});

test("the result of a test goes when any of its inputs changes", async () => {
  for (const [field, value] of [["#endpoint", "http://root.test/v1x"], ["#model-name", "x"], ["#key", "x"]]) {
    await tested("http://root.test/v1");
    await page.waitForSelector('#probe-outcome[data-state="good"]');
    await page.fill(field, value);
    assert.ok(await page.isHidden("#probe-outcome"), field);
  }
});

test("a key is kept for the session only if the user wants it, and the model is then in use again after a reload", async () => {
  const stored = () => page.evaluate(() => ({ session: JSON.stringify({ ...sessionStorage }), lasting: JSON.stringify({ ...localStorage }) }));
  const use = async () => {
    await page.fill("#endpoint", "http://keyed.test/v1");
    await page.fill("#model-name", "small-model");
    await page.fill("#key", "right");
    await page.click("#save-settings");
  };
  await use();
  assert.ok(!JSON.stringify(await stored()).includes("right"));
  await page.check("#keep-key");
  await page.click("#save-settings");
  assert.ok((await stored()).session.includes("right"));
  assert.ok(!(await stored()).lasting.includes("right"));
  await page.reload();
  await page.waitForSelector("body[data-searchable]");
  await demo.tab("model");
  assert.equal(await page.textContent("#model-now"), "In use: small-model, at keyed.test.");
  assert.ok(await page.isVisible("#model-restored"));
  assert.ok(await page.isHidden("#model-absent"));
  await demo.screenshot("model-restored", { fullPage: true });
  await page.click("#save-settings");
  assert.ok(await page.isHidden("#model-restored"), "chosen anew, it is not a restored one");
  await page.uncheck("#keep-key");
  assert.ok(!JSON.stringify(await stored()).includes("right"), "it is gone at once");
  await page.reload();
  await page.waitForSelector("body[data-searchable]");
  await demo.tab("model");
  assert.match(await page.textContent("#model-now"), /^In use: none\. small-model at keyed\.test was in use before the page was reloaded: its key is not stored\./);
});

test("only the servers that were entered were asked", () => {
  const entered = ["root", "deep", "refusing", "keyed", "forbidding", "modelless", "nobody"].map((name) => `http://${name}.test`);
  const others = demo.origins().filter((origin) => ![ORIGIN, LLM, ...entered, "http://localhost:11434", "http://localhost:1234"].includes(origin));
  assert.deepEqual(others, []);
});
