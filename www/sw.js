// Keeps the page and all it loads, so that it works without a network after the first visit. What it serves to workers carries
// the page's policy: theirs comes with their own script, and without it they could reach other origins.

const CACHE = "vademecum-demo";
const LIST = "files.json"; // every file of the site, with its hash; written when the site is built
const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:; connect-src 'self'";
/** Large files whose names stay and whose contents hardly change: not asked for again while they are here. */
const LARGE = /\/(models|ort|vendor)\//;
/** A network that has said nothing for so long is none. */
const PATIENCE = 4000;
const ROOT = new URL("./", self.location).href;

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("message", (event) => event.data === "keep" && event.waitUntil(keepAll()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(ROOT) || request.headers.has("range")) return;
  event.respondWith(answer(request, (work) => event.waitUntil(work)));
});

async function answer(request, later) {
  const key = keyOf(request.url);
  const kept = await caches.match(key);
  if (kept && LARGE.test(key)) return guarded(request, kept);
  try {
    const response = await fetch(request, kept && { signal: AbortSignal.timeout(PATIENCE) });
    if (response.status === 200) later(keep(key, response.clone()));
    return guarded(request, response);
  } catch (error) {
    if (!kept) throw error;
    return guarded(request, kept);
  }
}

/** `?q=…` is the same page, and so is its folder. */
function keyOf(address) {
  const url = new URL(address);
  url.search = url.hash = "";
  return url.href === ROOT ? `${ROOT}index.html` : url.href;
}

/** A full disk keeps nothing from being shown. */
const keep = async (key, response) => (await caches.open(CACHE)).put(key, response).catch(() => {});

function guarded(request, response) {
  if (!/worker$/.test(request.destination)) return response;
  const headers = new Headers(response.headers);
  headers.set("content-security-policy", POLICY);
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}

/** Fetches what is not here yet, or is another by now, and drops what the site no longer has. */
async function keepAll() {
  const cache = await caches.open(CACHE);
  const listed = await fetch(LIST, { cache: "no-cache" });
  if (!listed.ok) return;
  const [had, has] = [await cache.match(ROOT + LIST).then((list) => list?.json() ?? {}), await listed.clone().json()];
  for (const [name, hash] of Object.entries(has)) {
    const key = keyOf(ROOT + name);
    if (had[name] !== hash || !(await cache.match(key))) await cache.add(new Request(key, { cache: "no-cache" }));
  }
  for (const { url } of await cache.keys()) if (!(url.slice(ROOT.length) in has)) await cache.delete(url);
  await cache.put(ROOT + LIST, listed); // last: a list that is here is complete
  for (const client of await self.clients.matchAll()) client.postMessage("kept");
}
