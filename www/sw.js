// Caches the page and all it loads, so that it works offline after the first visit. To workers it serves files with
// the page's policy: the policy of a worker comes with its own script, and without it workers could connect to other origins.
//
// A version is cached completely or not at all: files are stored under their hash, and a list says which belong together. A new
// version is fetched beside the current one, and replaces it when no tab is open, or at the user's request in the only one;
// if a file is missing, does not match the list, or does not fit on the disk, the current version stays.

const CACHE = "vademecum-demo";
const LIST = "files.json"; // all files of the site with their hashes; written by the build
const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:; connect-src 'self'";
/** Headers for hosts that send none: who may frame the page, and where it may connect and navigate to, WebRTC included. */
const FRAMING = "frame-ancestors 'self'";
const CONNECTIONS = "(response-origin)";
/** The LLM frame may connect to any HTTP address; its own script narrows that down to one endpoint. */
const LLM_FRAME = "llm-frame.html";
/** Redirects are left to the frame's own policy, which blocks them and tells the frame that a server is there. */
const BY_HTTP = '("*://*:*/*");redirects=allow';
const HAS_SIMD = WebAssembly.validate(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11]));
/** Whether few visits need a file: it is fetched when it is first used, and kept from then on. The second kind is for browsers without SIMD. */
const isOnDemand = (name) => name.startsWith("vendor/ocr/") || (HAS_SIMD && name.endsWith("/vademecum-baseline_bg.wasm"));
const ROOT = new URL("./", self.location.href).href;
/** Addresses of the stored lists: the version that is served, and the next one. */
const [SERVED, NEXT] = [`${ROOT}?served`, `${ROOT}?next`];

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("message", (event) => {
  if (event.data === "keep") event.waitUntil(keep());
  else if (event.data === "update") event.waitUntil(update(event.source));
  else if (event.data === "claim") event.waitUntil(self.clients.claim()); // a forced reload bypasses the service worker
});
self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(ROOT) || request.headers.has("range")) return;
  event.respondWith(answer(request));
});

async function answer(request) {
  if (request.mode === "navigate" && request.destination === "document") await serveNext();
  const list = await served();
  const name = nameOf(request.url);
  const kept = Object.hasOwn(list, name) && ((await fromCache(name, list[name])) || (isOnDemand(name) && (await keptNow(name, list[name]))));
  return guarded(request, name, kept || (await fetch(request)));
}

const guarded = (request, name, response) => {
  const isWorker = /worker$/.test(request.destination);
  if ((!isWorker && request.mode !== "navigate") || response.type === "opaqueredirect") return response;
  const headers = new Headers(response.headers);
  headers[isWorker ? "set" : "append"]("content-security-policy", isWorker ? POLICY : FRAMING); // in addition to the host's own
  if (!headers.has("connection-allowlist")) headers.set("connection-allowlist", name === LLM_FRAME ? BY_HTTP : CONNECTIONS);
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
};

/** Returns the file's name; query strings are ignored, and the folder is the page. */
function nameOf(address) {
  const url = new URL(address);
  url.search = url.hash = "";
  return url.href === ROOT ? "index.html" : url.href.slice(ROOT.length);
}

// The cache -----------------------------------------------------------------------------------------------------------

const keyOf = (name, hash) => `${ROOT}${name}?${hash}`;
const cache = () => self.caches.open(CACHE);
/** Returns the cache; an unreadable one counts as missing. */
const fromCache = async (name, hash) => (await cache()).match(keyOf(name, hash)).catch(() => undefined);
/** Fetches and keeps a file. If that fails, as without room, it is only passed on. */
const keptNow = (name, hash) => keepOne(name, hash).then(() => fromCache(name, hash), () => undefined);
const listAt = async (key) => (await (await cache()).match(key))?.json() ?? null;

let list = null;
/** The files that are served, with their hashes; empty before the first version is complete. */
const served = () => (list ??= listAt(SERVED).then((kept) => kept ?? {}, () => ({})));

const tabs = async () => (await self.clients.matchAll({ type: "window" })).filter(({ frameType }) => frameType === "top-level");

let turn = Promise.resolve();
/**
 * Changes the stored lists, one change after the other: a list that was read before another change must not be written after it.
 * @template T
 * @param {() => Promise<T>} change
 * @returns {Promise<T>}
 */
function inTurn(change) {
  const done = turn.then(change);
  turn = done.then(() => {}, () => {});
  return done;
}

/** At a page load, activates a version that is complete by now, unless a tab uses the current one, which may load more of its files. */
async function serveNext() {
  try {
    await inTurn(async () => {
      const next = await listAt(NEXT);
      if (next && (await tabs()).length === 0) await promote(next);
    });
  } catch {
    // the current version stays
  }
}

/** Activates the new version for a tab that requests it and then reloads: no other tab may lose its files. */
async function update(asking) {
  try {
    if ((await tabs()).some(({ id }) => id !== asking.id)) return asking.postMessage("other tabs");
    await inTurn(async () => {
      const next = await listAt(NEXT);
      if (next) await promote(next);
    });
    asking.postMessage("promoted");
  } catch {
    asking.postMessage("not promoted");
  }
}

async function promote(next) {
  const files = await cache();
  await files.put(SERVED, Response.json(next));
  list = Promise.resolve(next);
  await files.delete(NEXT);
  await drop(next, fetching);
}

/** Removes files that belong to none of these versions. */
async function drop(...versions) {
  const wanted = new Set([SERVED, NEXT, ...versions.flatMap((version) => Object.entries(version).map(([name, hash]) => keyOf(name, hash)))]);
  const files = await cache();
  for (const { url } of await files.keys()) if (!wanted.has(url)) await files.delete(url);
}

/** The version whose files are being fetched. */
let fetching = {};
let keeping = null;
/** Fetches missing and changed files. Several tabs may ask at once. */
const keep = () => (keeping ??= keepAll().finally(() => (keeping = null)));

async function keepAll() {
  try {
    const response = await fetch(LIST, { cache: "no-cache" });
    if (!response.ok) throw new Error(`${LIST}: HTTP ${response.status}`);
    const wanted = (fetching = await response.json());
    const used = new Set((await (await cache()).keys()).map(({ url }) => nameOf(url)));
    for (const [name, hash] of Object.entries(wanted)) if (!isOnDemand(name) || used.has(name)) await keepOne(name, hash);
    const isNext = await inTurn(async () => {
      const current = await served(); // which may have changed while files were fetched
      if (isEmpty(current)) await promote(wanted);
      if (isEmpty(current) || same(current, wanted)) return false;
      await (await cache()).put(NEXT, Response.json(wanted));
      return true;
    });
    await tell(isNext ? "updated" : "kept");
  } catch (error) {
    // An incomplete version is useless if there is no space for the rest; after a network failure, the next attempt continues.
    if (error.name === "QuotaExceededError") await inTurn(async () => drop(await served(), (await listAt(NEXT)) ?? {})).catch(() => {});
    await tell(!isEmpty(await served()) ? "kept" : error.name === "QuotaExceededError" ? "full" : "not kept");
  } finally {
    fetching = {};
  }
}

async function keepOne(name, hash) {
  const files = await cache();
  const key = keyOf(name, hash);
  if (await files.match(key)) return;
  const response = await fetch(new Request(ROOT + name, { cache: "no-cache" }));
  if (!response.ok) throw new Error(`${name}: HTTP ${response.status}`);
  const bytes = await response.arrayBuffer();
  if (!(await hashOf(bytes)).startsWith(hash)) throw new Error(`${name} does not match the list`);
  const headers = { "content-type": response.headers.get("content-type") ?? "application/octet-stream", "content-length": String(bytes.byteLength) };
  await files.put(key, new Response(bytes, { headers }));
}

async function hashOf(bytes) {
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

const isEmpty = (version) => Object.keys(version).length === 0;
const same = (one, other) => JSON.stringify(Object.entries(one).sort()) === JSON.stringify(Object.entries(other).sort());

async function tell(what) {
  for (const client of await self.clients.matchAll()) client.postMessage(what);
}
