// Workers by URL or created by the page, under the strictest policies, and errors of workers that do not start.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startSite } from "../support/changing-site.mjs";
import { startDemo } from "../support/demo.mjs";

const OWN = "script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'";
/** Hosts with different headers. */
const HOSTS = {
  "http://plain.test": {},
  "http://trusted.test": { "content-security-policy": `${OWN}; require-trusted-types-for 'script'; trusted-types vademecum` },
  "http://untrusted.test": { "content-security-policy": `${OWN}; require-trusted-types-for 'script'; trusted-types others` },
  "http://forbidden.test": { "content-security-policy": `${OWN}; worker-src 'none'` },
};

let demo;
const sites = [];
before(async () => {
  const routes = {};
  for (const [host, headers] of Object.entries(HOSTS)) {
    const site = await startSite({ headers });
    sites.push(site);
    routes[new URL(host).host] = site.address;
  }
  demo = await startDemo({ routes });
});
after(async () => {
  await demo?.close();
  for (const site of sites) site.close();
});

/** Runs `body(vademecum, files)` on an empty page of a host, and returns its result and the page's errors. */
async function on(host, body) {
  const page = await demo.page.context().newPage();
  const complaints = [];
  page.on("console", (message) => message.type() === "error" && !message.location().url.endsWith("/favicon.ico") && complaints.push(message.text()));
  try {
    await page.goto(`${host}/icon.svg`);
    const seen = await page.evaluate(`(async () => {
      const vademecum = await import("/vademecum/index.js");
      const files = { model: "/models/all-minilm-l6-v2/model.onnx", tokenizer: "/models/all-minilm-l6-v2/tokenizer.json" };
      const settled = (promise) => promise.then((value) => ({ value }), ({ name, code, message }) => ({ name, code, message }));
      const failure = (workers) => settled(vademecum.KnowledgeBase.memory({ workers }));
      return (${body})(vademecum, files, { settled, failure });
    })()`);
    return { seen, complaints };
  } finally {
    await page.close();
  }
}

/** Keyword search, vector search and a graph, which need every worker. */
const search = `async (kb, { Embedder, KnowledgeBase }, workers) => {
  await kb.add([{ id: "cats.md", text: "# Cats\\n\\nCats purr when they are content." }, { id: "tax.md", text: "Income is taxed once a year." }]);
  await kb.loadEmbedder();
  const { mode, hits } = await kb.search("a happy kitten's noise", { limit: 1 });
  await kb.close();
  const embedder = Embedder.custom((texts) => texts.map((text) => [Math.cos(text.length), Math.sin(text.length)]));
  const large = await KnowledgeBase.memory({ embedder, graphFrom: 100, workers });
  await large.add(Array.from({ length: 120 }, (_, n) => ({ id: String(n), text: "word ".repeat(1 + (n % 9)) })));
  await large.export();
  await large.add([{ id: "last", text: "the last" }]);
  let { index } = await large.stats();
  for (let n = 0; index.graphs === 0 && n < 1000; n++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    ({ index } = await large.stats());
  }
  await large.close();
  return [mode, hits[0].docId, index.graphs];
}`;

for (const [what, workers] of Object.entries({
  addresses: '{ engine: "/vademecum/worker.js?own", embedder: new URL("/vademecum/embed-worker.js?own", location), graph: "vademecum/graph-worker.js?own" }',
  "functions that make workers":
    '{ engine: () => make("worker"), embedder: () => make("embed-worker"), graph: () => make("graph-worker") }',
})) {
  test(`workers are taken as ${what}, nested ones as well`, async () => {
    const { seen, complaints } = await on("http://plain.test", `async (vademecum, files) => {
      const made = [];
      const make = (name) => (made.push(name), new Worker("/vademecum/" + name + ".js", { type: "module" }));
      const workers = ${workers};
      const kb = await vademecum.KnowledgeBase.memory({ embedder: vademecum.Embedder.onnx({ ...files, workers: 2 }), workers });
      const found = await (${search})(kb, vademecum, workers);
      return { found, made: made.sort() };
    }`);
    assert.deepEqual(seen.found, ["hybrid", "cats.md", 1]);
    assert.deepEqual(complaints, []);
    if (what === "addresses") assert.deepEqual(sites[0].told.filter((address) => /^\/.*\?own$/.test(address)).map((address) => address.replace(/\?own$/, "")).sort(), [
      "/vademecum/embed-worker.js", "/vademecum/embed-worker.js", "/vademecum/graph-worker.js", "/vademecum/worker.js", "/vademecum/worker.js",
    ]);
    else assert.deepEqual(seen.made, ["embed-worker", "embed-worker", "graph-worker", "worker", "worker"]);
  });
}

test("workers created by the page end with the knowledge base, and a crash of one is reported with its name", async () => {
  const { seen } = await on("http://plain.test", `async ({ Embedder, KnowledgeBase }, files, { settled }) => {
    const ended = [];
    let crash;
    const workers = { embedder: () => {
      const worker = new Worker("/vademecum/embed-worker.js", { type: "module" });
      const { terminate } = worker;
      worker.terminate = () => (ended.push("embedder"), terminate.call(worker));
      crash = () => worker.dispatchEvent(new ErrorEvent("error", { message: "Uncaught RuntimeError: unreachable" }));
      return worker;
    } };
    const kb = await KnowledgeBase.memory({ embedder: Embedder.onnx({ ...files, workers: 1 }), workers });
    await kb.add([{ id: "cats.md", text: "Cats purr when they are content." }]);
    crash();
    const failed = await settled(kb.search("noise", { mode: "vector" }));
    await kb.loadEmbedder();
    const { hits } = await kb.search("noise", { mode: "vector" });
    await kb.close();
    return { failed, found: hits.length, ended };
  }`);
  assert.deepEqual([seen.failed.code, seen.failed.message], ["worker_failed", "The embedder worker failed: Uncaught RuntimeError: unreachable."]);
  assert.equal(seen.found, 1);
  assert.ok(seen.ended.length >= 2, JSON.stringify(seen)); // the crashed one and the one after it
});

test("every worker starts with required Trusted Types if the policy `vademecum` is allowed", async () => {
  const { seen, complaints } = await on("http://trusted.test", `async (vademecum, files) => {
    const kb = await vademecum.KnowledgeBase.memory({ embedder: vademecum.Embedder.onnx(files) });
    return (${search})(kb, vademecum);
  }`);
  assert.deepEqual(seen, ["hybrid", "cats.md", 1]);
  assert.deepEqual(complaints, []);
});

test("the policy accepts only the package's own and configured addresses; functions of the page are responsible for theirs", async () => {
  const { seen } = await on("http://trusted.test", `async ({ KnowledgeBase }, files, { settled, failure }) => {
    const { createPolicy } = TrustedTypePolicyFactory.prototype;
    let policy;
    TrustedTypePolicyFactory.prototype.createPolicy = function (...of) { return (policy = createPolicy.apply(this, of)); };
    const page = globalThis.Worker;
    let within;
    const refused = await failure({ engine: () => ((within = Worker), new Worker("/vademecum/worker.js?other", { type: "module" })) });
    const kb = await KnowledgeBase.memory({ workers: { engine: "/vademecum/worker.js?named" } });
    await kb.close();
    const passes = (address) => settled(Promise.resolve().then(() => String(policy.createScriptURL(address))));
    const named = new URL("/vademecum/worker.js?named", location).href;
    return { refused, isPages: within === page && globalThis.Worker === page, named: (await passes(named)).value === named, other: await passes("/vademecum/worker.js?other") };
  }`);
  assert.equal(seen.refused.code, "worker_failed");
  assert.match(seen.refused.message, /TrustedScriptURL/);
  assert.deepEqual([seen.isPages, seen.named, seen.other.name], [true, true, "TypeError"]);
});

test("without that policy, the error says what is required and where to read about it", async () => {
  const { seen } = await on("http://untrusted.test", "async (_, files, { failure }) => failure()");
  assert.equal(seen.code, "worker_failed");
  assert.match(seen.message, /TrustedScriptURL.*`docs\/static-sites\.md`/);
  assert.doesNotMatch(seen.message, /\.\./);
});

for (const [what, workers, expected] of /** @type {[string, string, RegExp][]} */ ([
  ["is not there", '{ engine: "/none.js" }', /^The engine worker failed: its script could not be loaded from http:\/\/plain\.test\/none\.js: HTTP 404\. See `docs\/static-sites\.md` in/],
  ["is a page", '{ engine: "/index.html" }', /from http:\/\/plain\.test\/index\.html: the host sent `text\/html.*` and no script, as hosts do for files that are not there\. /],
  ["is of another origin", '{ engine: "http://trusted.test/vademecum/worker.js" }', /^The engine worker failed: Failed to construct 'Worker': .*cannot be accessed from origin 'http:\/\/plain\.test'\. See `docs/],
  ["imports what is not there", '{ engine: URL.createObjectURL(new Blob(["import \'/none.js\'"], { type: "text/javascript" })) }', /from blob:.*: it is there, so look whether the files that it imports are/],
  ["throws at once", '{ engine: URL.createObjectURL(new Blob(["throw new Error(\'Cannot find module.\')"], { type: "text/javascript" })) }', /^The engine worker failed: Uncaught Error: Cannot find module \(blob:.*\)\. See `docs/],
])) {
  test(`of a worker whose script ${what}, the error names the address, the reason and the page of the docs`, async () => {
    const { seen } = await on("http://plain.test", `async (_, files, { failure }) => failure(${workers})`);
    assert.equal(seen.code, "worker_failed", JSON.stringify(seen));
    assert.match(seen.message, expected);
    assert.doesNotMatch(seen.message, /\.\./);
  });
}

test("for a worker that the content security policy forbids, the error names the directive", async () => {
  const { seen } = await on("http://forbidden.test", "async (_, files, { failure }) => failure()");
  assert.equal(seen.code, "worker_failed");
  assert.match(seen.message, /from http:\/\/forbidden\.test\/vademecum\/worker\.js: the content security policy forbids it by `worker-src`\. /);
});

test("invalid workers are refused by name", async () => {
  const { seen } = await on("http://plain.test", `async (_, files, { failure }) =>
    [await failure({ engine: 5 }), await failure({ engin: "a.js" }), await failure({ engine: () => 5 })]`);
  assert.deepEqual(seen.map(({ code }) => code), ["invalid_argument", "invalid_argument", "invalid_argument"]);
  assert.match(seen[0].message, /^`KnowledgeBase\.memory\.workers\.engine` must be an address, or a function that returns a Worker, but was 5\.$/);
  assert.match(seen[1].message, /Did you mean `engine`\?$/);
});

/** Opens two knowledge bases after the script for a page's head; returns what was there before, and the requests for the engine. */
const preloaded = `async ({ KnowledgeBase }, files, { settled }) => {
  await import("/vademecum/preload.js");
  const { workers } = globalThis[Symbol.for("vademecum preload")];
  const [address, entry] = [...workers][0] ?? [];
  for (let n = 0; entry && !entry.hasStarted && n < 500; n++) await new Promise((resolve) => setTimeout(resolve, 10));
  const found = async () => {
    const kb = await KnowledgeBase.memory();
    await kb.add([{ id: "cats.md", text: "Cats purr when they are content." }]);
    const { hits } = await kb.search("purr", { mode: "keyword" });
    await kb.close();
    return hits.length;
  };
  const requests = () => performance.getEntriesByType("resource").filter(({ name }) => /vademecum\\/(worker\\.js|vademecum_bg\\.wasm)$/.test(name)).length;
  const opened = await settled(found());
  const first = { opened, left: workers.size, requests: requests() };
  return { address: address && new URL(address).pathname, hasStarted: entry?.hasStarted, first, second: await settled(found()) };
}`;

test("the first engine takes the worker and the module that the page's head has started, and the second starts its own", async () => {
  const { seen, complaints } = await on("http://plain.test", preloaded);
  assert.deepEqual(complaints, []);
  assert.deepEqual(seen, {
    address: "/vademecum/worker.js",
    hasStarted: true,
    first: { opened: { value: 1 }, left: 0, requests: 2 },
    second: { value: 1 },
  });
});

test("where the head's script may start no worker, the first engine starts its own, or says why it cannot", async () => {
  const trusting = await on("http://trusted.test", preloaded);
  assert.deepEqual([trusting.seen.address, trusting.seen.first.opened, trusting.seen.second], [undefined, { value: 1 }, { value: 1 }]);
  const forbidden = await on("http://forbidden.test", preloaded);
  assert.deepEqual([forbidden.seen.first.opened.code, forbidden.seen.second.code], ["worker_failed", "worker_failed"]);
});
