// Confinement of the page to its origin: the frame for one endpoint, the host's headers, and those that the service worker adds.

import assert from "node:assert/strict";
import dgram from "node:dgram";
import http from "node:http";
import { after, before, test } from "node:test";
import { LLM, ORIGIN, startDemo } from "../support/demo.mjs";
import { startSite } from "../support/changing-site.mjs";
import { listen } from "../support/listen.mjs";
import { useSmallSample } from "../support/small-sample.mjs";

const BARE = "http://bare.test"; // the same site without headers
const OTHER = "http://other.test";
const MOVED = ["http://moved.test", "http://[::1]:8081"]; // endpoints that redirect every request to the other host
const servers = [];
let demo;
let page;
let stun;
let packets = 0;
let otherAddress;

before(async () => {
  const site = await startSite();
  servers.push(site);
  const other = http.createServer((request, response) => {
    const framed = new URL(request.url, OTHER).searchParams.get("frame");
    const allowed = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" };
    if (request.url === "/limited") allowed["connection-allowlist"] = "(response-origin)";
    response.writeHead(200, { ...allowed, "content-type": "text/html" }).end(framed ? `<iframe src="${framed}" width="900" height="700"></iframe>` : "{}");
  });
  servers.push({ close: () => (other.closeAllConnections(), other.close()) });
  otherAddress = await listen(other);
  const moved = http.createServer((request, response) => response.writeHead(307, { location: `${OTHER}/redirected` }).end());
  servers.push({ close: () => (moved.closeAllConnections(), moved.close()) });
  const movedAddress = await listen(moved);
  const away = Object.fromEntries(MOVED.map((origin) => [new URL(origin).host, movedAddress]));
  demo = await startDemo({ routes: { "bare.test": site.address, "other.test": otherAddress, ...away } });
  ({ page } = demo);
  stun = dgram.createSocket("udp4");
  stun.on("message", () => packets++);
  await new Promise((resolve) => stun.bind(0, "127.0.0.1", resolve));
  await useSmallSample(page);
  await demo.open();
  await demo.ready();
});
after(async () => {
  await demo?.close();
  stun?.close();
  for (const server of servers) server.close();
});

const asked = (origin) => demo.proxy.seen.filter((one) => one.origin === origin).map(({ path }) => path);

/** Creates an LLM frame as the page does, sends it a request, and returns its reply. */
const through = (base, request) =>
  page.evaluate(
    async ([base, request]) => {
      const frame = Object.assign(document.createElement("iframe"), { src: `llm-frame.html#${encodeURIComponent(base)}`, hidden: true });
      const opened = new Promise((resolve) => addEventListener("message", ({ source }) => source === frame.contentWindow && resolve()));
      document.body.append(frame);
      await opened;
      const { port1, port2 } = new MessageChannel();
      const came = new Promise((resolve) => (port1.onmessage = ({ data }) => resolve(data)));
      frame.contentWindow.postMessage(request, location.origin, [port2]);
      const data = await came;
      // Checks the browser's enforcement, independent of the frame's script.
      const own = await frame.contentWindow.fetch("http://other.test/past-the-script").then(() => "sent", () => "refused");
      frame.remove();
      return { ...data, own };
    },
    [base, request],
  );

test("the LLM frame connects to the endpoint that it was created for, and to no other address", async () => {
  const { status, own } = await through(`${LLM}/v1`, { url: `${LLM}/v1/models`, method: "GET", headers: {} });
  assert.deepEqual([status, own], [200, "refused"]);
  const others = [`${OTHER}/v1/models`, `${LLM}/v2`, `${LLM}/v1/../other`, `${LLM}/v10`, `http://llm.test.evil.test/v1/`, `${ORIGIN}/files.json`];
  for (const url of others) {
    const { failed } = await through(`${LLM}/v1`, { url, method: "POST", headers: {}, body: "secret" });
    assert.match(failed, /^This frame may only connect to http:\/\/llm\.test\/v1, not to /, url);
    assert.match((await through(`${LLM}/v1`, { probe: url })).failed, /may only connect to http:\/\/llm\.test\/v1,/, url);
  }
  assert.deepEqual(asked(OTHER), []);
  assert.deepEqual((await through(`${LLM}/`, { probe: `${LLM}/any` })).there, true, "an endpoint without a path is all of its origin");
});

test("the LLM frame follows no redirect, not even when it only probes whether a server answers", async () => {
  for (const [origin, there] of [[MOVED[0], true], [MOVED[1], null]]) {
    const base = `${origin}/v1`;
    assert.equal((await through(base, { probe: base })).there, there, base);
    for (const method of ["GET", "POST"]) {
      assert.ok((await through(base, { url: `${base}/models`, method, headers: {}, ...(method === "POST" && { body: "secret" }) })).failed, `${method} ${base}`);
    }
  }
  assert.deepEqual(asked(OTHER).filter((path) => path !== "/past-the-script"), [], "for an IPv6 address, the frame's script is the only protection");
});

test("a request that is stopped while its frame opens is not sent", async () => {
  const before = asked(OTHER).length;
  const outcome = await page.evaluate(async (base) => {
    const { fetchThroughFrame } = await import(/** @type {any} */ ("/model/frame-fetch.js"));
    const abort = new AbortController();
    const asking = fetchThroughFrame(base, `${base}/stopped`, { signal: abort.signal }).then(({ status }) => status, ({ message }) => message);
    abort.abort(new Error("It was stopped."));
    const outcome = await asking;
    const response = await fetchThroughFrame(base, `${base}/models`); // the frame is open now
    await response.body.cancel();
    document.querySelector('iframe[src*="other.test"]').remove(); // the page's own scripts do not know of it
    return outcome;
  }, `${OTHER}/v1`);
  assert.equal(outcome, "It was stopped.");
  assert.deepEqual(asked(OTHER).slice(before), ["/v1/models"]);
});

test("another endpoint has a frame of its own, and the previous one is removed", async () => {
  await demo.useLlm();
  await demo.ask("Which birds fly without a sound?");
  await page.waitForSelector("#answer-text .cite");
  assert.equal(await page.locator('iframe[src*="llm.test"]').count(), 1);
  await demo.tab("model");
  await page.fill("#endpoint", `${OTHER}/v1`);
  await page.click("#save-settings");
  await page.waitForSelector('iframe[src*="other.test"]', { state: "attached" });
  assert.equal(await page.locator("iframe").count(), 1);
  await page.click("#forget-llm");
});

/** Ways to send data from a page for an injected script. The proxy's record or network packets reveal each. */
async function ways({ page: where, proxy }) {
  proxy.seen.splice(0);
  packets = 0;
  await where.evaluate(async ([other, port]) => {
    await fetch(`${other}/fetch`).catch(() => {});
    const frame = document.createElement("iframe");
    document.body.append(frame);
    await frame.contentWindow.fetch(`${other}/blank`).catch(() => {});
    const peer = new RTCPeerConnection({ iceServers: [{ urls: `stun:127.0.0.1:${port}` }] });
    peer.createDataChannel("x");
    await peer.setLocalDescription(await peer.createOffer());
    window.open(`${other}/popup`);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    frame.remove();
    peer.close();
  }, [OTHER, stun.address().port]);
  await where.evaluate((other) => void (location.href = `${other}/led-away`), OTHER).catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const found = proxy.seen.filter(({ origin, path }) => origin === OTHER && path !== "/favicon.ico").map(({ path }) => path);
  return { found, packets };
}

/** Whether this browser supports the header `Connection-Allowlist`: it confines a page of another host without other headers. */
async function knowsAllowlist() {
  const probe = await page.context().newPage();
  await probe.goto(`${OTHER}/limited`);
  const refused = await probe.evaluate((elsewhere) => fetch(elsewhere, { mode: "no-cors" }).then(() => false, () => true), `${LLM}/v1/models`);
  await probe.close();
  return refused;
}

/** Requests that an injected script succeeds with: none, or, in browsers without the header, those that CSP does not cover. */
async function assertKept(t, { found, packets }) {
  if (await knowsAllowlist()) {
    assert.deepEqual({ found, packets }, { found: [], packets: 0 });
    return;
  }
  t.diagnostic("this browser does not know Connection-Allowlist: new windows, leading elsewhere and WebRTC were not tested");
  assert.deepEqual(found.filter((path) => !["/popup", "/led-away"].includes(path)), [], "the content security policy keeps requests within the origin");
}

test("an injected script can neither connect nor navigate elsewhere, nor use WebRTC", async (t) => {
  const visit = await page.context().newPage();
  await visit.goto(`${ORIGIN}/#model`);
  await assertKept(t, await ways({ page: visit, proxy: demo.proxy }));
  await visit.close();
  // Proves that the test detects each of them.
  const open = await page.context().newPage();
  await open.goto(`${OTHER}/`);
  const { found, packets: sent } = await ways({ page: open, proxy: demo.proxy });
  assert.deepEqual([...new Set(found)].sort(), ["/blank", "/fetch", "/led-away", "/popup"]);
  assert.ok(sent > 0);
  await open.close();
});

test("no other site can embed the page or the LLM frame", async () => {
  const visit = await page.context().newPage();
  const frame = async (address) => {
    await visit.goto(`${OTHER}/?frame=${encodeURIComponent(address)}`);
    await visit.waitForTimeout(1500);
    return visit.frames()[1];
  };
  for (const address of [`${ORIGIN}/`, `${ORIGIN}/llm-frame.html#${encodeURIComponent(`${LLM}/v1`)}`]) {
    assert.match((await frame(address)).url(), /^chrome-error:/, address);
  }
  // Without headers the page does not start, and loads no library.
  const framed = await frame(`${BARE}/`);
  await framed.waitForFunction(() => document.getElementById("status-text").textContent === "The page was not started.");
  assert.match(await framed.textContent("#notice"), /Another site embeds this page\. Open it in a tab of its own/);
  assert.equal(await framed.evaluate(() => typeof vademecum), "undefined");
  await visit.close();
});

test("on a host that sends no headers, the service worker adds them", async (t) => {
  const bare = await startDemo({ offline: true, routes: { "vademecum.test": servers[0].address, "other.test": otherAddress } });
  try {
    await bare.open();
    await bare.page.waitForSelector("body[data-offline=ready]", { timeout: 120_000 });
    const [response] = await Promise.all([bare.page.waitForResponse(`${ORIGIN}/`), bare.page.reload()]);
    const headers = await response.allHeaders();
    assert.deepEqual([headers["content-security-policy"], headers["connection-allowlist"]], ["frame-ancestors 'self'", "(response-origin)"]);
    await bare.page.waitForSelector("body[data-searchable]");
    await bare.useLlm();
    await bare.ask("What are the rules of ownership?");
    await bare.page.waitForSelector("#answer-text .cite");
    assert.ok(bare.llm.requests.length > 0, "the LLM frame connects all the same");
    await assertKept(t, await ways(bare));
  } finally {
    await bare.close();
  }
});
