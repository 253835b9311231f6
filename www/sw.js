// Keeps the page and all it loads, so that it works without a network after the first visit. What it serves to workers carries
// the page's policy: theirs comes with their own script, and without it they could reach other origins.
//
// A version is kept whole or not at all: files stand in the cache under their hash, and a list says which belong together. A new
// version is fetched beside the one that is served, and takes its place when no tab is open, or at a person's word in the only one;
// if a file does not come, is not what the list says, or does not fit on the disk, the one that is served stays.

const CACHE = "vademecum-demo";
const LIST = "files.json"; // every file of the site, with its hash; written when the site is built
const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:; connect-src 'self'";
/** What a host that sends no headers leaves out: who may frame the page, and where it may connect and lead to, WebRTC included. */
const FRAMING = "frame-ancestors 'self'";
const CONNECTIONS = "(response-origin)";
/** The door leads where the user says, by http alone; its own script narrows that down. */
const DOOR = "door.html";
const BY_HTTP = '("*://*:*/*")';
const ROOT = new URL("./", self.location.href).href;
/** Lists are kept here: what is served, and what will be. */
const [SERVED, NEXT] = [`${ROOT}?served`, `${ROOT}?next`];

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("message", (event) => {
  if (event.data === "keep") event.waitUntil(keep());
  else if (event.data === "update") event.waitUntil(update(event.source));
  else if (event.data === "claim") event.waitUntil(self.clients.claim()); // a forced reload is of no service worker
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
  const kept = Object.hasOwn(list, name) && (await fromCache(name, list[name]));
  return guarded(request, name, kept || (await fetch(request)));
}

const guarded = (request, name, response) => {
  const isWorker = /worker$/.test(request.destination);
  if ((!isWorker && request.mode !== "navigate") || response.type === "opaqueredirect") return response;
  const headers = new Headers(response.headers);
  headers[isWorker ? "set" : "append"]("content-security-policy", isWorker ? POLICY : FRAMING); // beside what the host says
  if (!headers.has("connection-allowlist")) headers.set("connection-allowlist", name === DOOR ? BY_HTTP : CONNECTIONS);
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
};

/** Whatever is asked behind `?`, it is the same page, and so is its folder. */
function nameOf(address) {
  const url = new URL(address);
  url.search = url.hash = "";
  return url.href === ROOT ? "index.html" : url.href.slice(ROOT.length);
}

// What is kept --------------------------------------------------------------------------------------------------------

const keyOf = (name, hash) => `${ROOT}${name}?${hash}`;
const cache = () => self.caches.open(CACHE);
/** A cache that cannot be read is none. */
const fromCache = async (name, hash) => (await cache()).match(keyOf(name, hash)).catch(() => undefined);
const listAt = async (key) => (await (await cache()).match(key))?.json() ?? null;

let list = null;
/** The files that are served from here, each with its hash; none before the first version is whole. */
const served = () => (list ??= listAt(SERVED).then((kept) => kept ?? {}, () => ({})));

const tabs = async () => (await self.clients.matchAll({ type: "window" })).filter(({ frameType }) => frameType === "top-level");

/** At a load: a version that is whole by now takes the place of the one before, unless a tab uses that one, which may fetch more of it. */
async function serveNext() {
  try {
    const next = await listAt(NEXT);
    if (next && (await tabs()).length === 0) await promote(next);
  } catch {
    // what was served will do
  }
}

/** For a tab that asks for the new version, and then loads it: for no other tab's files may go. */
async function update(asking) {
  try {
    if ((await tabs()).some(({ id }) => id !== asking.id)) return asking.postMessage("other tabs");
    const next = await listAt(NEXT);
    if (next) await promote(next);
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
  await drop(next);
}

/** Removes what belongs to none of these versions. */
async function drop(...versions) {
  const wanted = new Set([SERVED, NEXT, ...versions.flatMap((version) => Object.entries(version).map(([name, hash]) => keyOf(name, hash)))]);
  const files = await cache();
  for (const { url } of await files.keys()) if (!wanted.has(url)) await files.delete(url);
}

let keeping = null;
/** Fetches what is not here yet, or is another by now. Several tabs may ask at once. */
const keep = () => (keeping ??= keepAll().finally(() => (keeping = null)));

async function keepAll() {
  const current = await served();
  try {
    const response = await fetch(LIST, { cache: "no-cache" });
    if (!response.ok) throw new Error(`${LIST}: HTTP ${response.status}`);
    const wanted = await response.json();
    for (const [name, hash] of Object.entries(wanted)) await keepOne(name, hash);
    if (isEmpty(current)) await promote(wanted);
    if (isEmpty(current) || same(current, wanted)) return tell("kept");
    await (await cache()).put(NEXT, Response.json(wanted));
    await tell("updated");
  } catch (error) {
    // Half a version is of no use where there is no room for the rest; where the network broke off, it goes on from there.
    if (error.name === "QuotaExceededError") await drop(current).catch(() => {});
    await tell(!isEmpty(current) ? "kept" : error.name === "QuotaExceededError" ? "full" : "not kept");
  }
}

async function keepOne(name, hash) {
  const files = await cache();
  const key = keyOf(name, hash);
  if (await files.match(key)) return;
  const response = await fetch(new Request(ROOT + name, { cache: "no-cache" }));
  if (!response.ok) throw new Error(`${name}: HTTP ${response.status}`);
  const bytes = await response.arrayBuffer();
  if (!(await hashOf(bytes)).startsWith(hash)) throw new Error(`${name} is another version than its list`);
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
