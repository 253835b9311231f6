// What the browser stores of libraries in parts: the bounded cache, and parts that are kept in private files.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, beforeEach, test } from "node:test";
import { ORIGIN, startDemo } from "../support/demo.mjs";
import { startHost } from "../support/part-host.mjs";
import { openTab } from "../support/tab.mjs";

const HOST = "http://parts.test";
/** Pages of this origin are not secure: they have no storage. */
const INSECURE = "http://insecure.test";
const LENGTH = 100_000;

const contents = Array.from({ length: 40 }, (_, seed) => Buffer.from(Uint8Array.from({ length: LENGTH }, (_, at) => (at * 7 + seed * 13 + (at >> 7)) & 0xff)));
const nameOf = (bytes) => createHash("sha256").update(bytes).digest("hex").slice(0, 32);
const NAMES = contents.map(nameOf);
const PARTS = NAMES.map((name) => ({ name, bytes: LENGTH }));

let host;
let demo;
let context;
let tab;

before(async () => {
  host = await startHost(Object.fromEntries(contents.map((bytes, at) => [`/parts/${NAMES[at]}.bin`, bytes])));
  demo = await startDemo({ policy: false, routes: { "parts.test": host.address, "insecure.test": /** @type {string} */ (process.env.VADEMECUM_PAGE) } });
});
after(async () => {
  await demo?.close();
  host?.close();
});
beforeEach(async () => {
  await context?.close();
  context = await demo.page.context().browser().newContext({ serviceWorkers: "block" });
  tab = await openTab(context);
  host.reset();
});

/** Reads ranges `[part, start, end]` in a tab by a source with a cache; returns the sums of their bytes, and what the cache has. */
const read = (where, ranges, options = {}) =>
  where.inWorker(
    async (_, { base, origin, ranges, limit = 1e6, fresh = false, keepsOpen = false }, kept) => {
      const { openCache } = await import(`${origin}/vademecum/parts/cache.js`);
      const { PartSource } = await import(`${origin}/vademecum/parts/source.js`);
      const cache = limit === null ? null : await openCache(limit);
      const source = new PartSource({ addressOf: (part) => `${base}/parts/${part}.bin`, cache });
      const sums = [];
      for (const [part, start, end] of ranges) sums.push((await source.read(part, start, end, { isFresh: fresh })).reduce((sum, byte) => sum + byte, 0));
      const stats = (await cache?.stats()) ?? null;
      if (keepsOpen) kept.source = source;
      else await source.close();
      return { sums, stats };
    },
    { base: HOST, origin: options.origin ?? ORIGIN, ranges, ...options },
  );
const sumOf = (at, start, end) => contents[at].subarray(start, end).reduce((sum, byte) => sum + byte, 0);

test("what was fetched is read from the cache after a reload and in another tab, and is asked for again without it", async () => {
  const ranges = [[NAMES[0], 0, 1000], [NAMES[1], 500, 700]];
  const sums = [sumOf(0, 0, 1000), sumOf(1, 500, 700)];
  assert.deepEqual(await read(tab, ranges), { sums, stats: { bytes: 1200, entries: 2 } });
  assert.equal(host.since().length, 2);
  const second = await openTab(context);
  assert.deepEqual((await read(second, ranges)).sums, sums);
  assert.deepEqual(host.since(), []);
  assert.deepEqual(await read(second, ranges, { limit: null }), { sums, stats: null });
  assert.equal(host.since().length, 2);
});

test("a part that came as a whole is stored as a whole, and ranges are read of it", async () => {
  host.honoursRange = false;
  assert.deepEqual((await read(tab, [[NAMES[0], 0, 1000]])).stats, { bytes: LENGTH, entries: 1 });
  host.since();
  assert.deepEqual((await read(tab, [[NAMES[0], 5000, 6000]])).sums, [sumOf(0, 5000, 6000)]);
  assert.deepEqual(host.since(), []);
});

test("the cache is bounded by bytes, and what was used longest ago goes first", async () => {
  const range = (at) => [NAMES[at], 0, 40_000];
  const limit = 200_000;
  for (const at of [0, 1, 2, 3]) await read(tab, [range(at)], { limit });
  await read(tab, [range(0)], { limit }); // used again
  const { stats } = await read(tab, [range(4), range(5)], { limit });
  assert.ok(stats.bytes <= limit, `${stats.bytes} bytes`);
  host.since();
  await read(tab, [range(0), range(5)], { limit });
  assert.deepEqual(host.since(), [], "what was used last is there");
  await read(tab, [range(1)], { limit });
  assert.equal(host.since().length, 1, "what was used longest ago is gone");
  const [stored, noted] = await tab.run(async () => {
    const cache = await caches.open("vademecum parts 1");
    const database = await new Promise((resolve) => {
      const opening = indexedDB.open("vademecum parts");
      opening.onsuccess = () => resolve(opening.result);
    });
    const keys = await new Promise((resolve) => {
      const asked = database.transaction("entries").objectStore("entries").getAllKeys();
      asked.onsuccess = () => resolve(asked.result);
    });
    return [(await cache.keys()).map(({ url }) => url.split("/vademecum-parts/")[1]).sort(), keys.sort()];
  });
  assert.deepEqual(stored, noted, "nothing is stored that is not counted");
});

test("two tabs that fill the cache at once keep its bound", async () => {
  const second = await openTab(context);
  const half = (from) => Array.from({ length: 15 }, (_, at) => [NAMES[from + at], 0, 20_000]);
  await Promise.all([read(tab, half(0), { limit: 200_000 }), read(second, half(15), { limit: 200_000 })]);
  const { stats } = await read(tab, [], { limit: 200_000 });
  assert.ok(stats.bytes <= 200_000 && stats.bytes >= 100_000, `${stats.bytes} bytes`);
});

test("a damaged entry is replaced when it is asked for past the caches", async () => {
  await read(tab, [[NAMES[0], 0, 1000]]);
  await tab.run(async (_, name) => {
    const cache = await caches.open("vademecum parts 1");
    await cache.put(`/vademecum-parts/${name}/0-1000`, new Response(new Uint8Array(1000)));
  }, NAMES[0]);
  assert.deepEqual((await read(tab, [[NAMES[0], 0, 1000]])).sums, [0]);
  assert.deepEqual((await read(tab, [[NAMES[0], 0, 1000]], { fresh: true })).sums, [sumOf(0, 0, 1000)]);
  host.since();
  assert.deepEqual((await read(tab, [[NAMES[0], 0, 1000]])).sums, [sumOf(0, 0, 1000)]);
  assert.deepEqual(host.since(), []);
});

test("without Cache Storage, and with a storage that is full, parts are fetched all the same", async () => {
  const insecure = await openTab(context, INSECURE);
  assert.deepEqual(await read(insecure, [[NAMES[0], 0, 1000]], { origin: INSECURE }), { sums: [sumOf(0, 0, 1000)], stats: null });
  const session = await context.newCDPSession(tab.page);
  await session.send("Storage.overrideQuotaForOrigin", { origin: ORIGIN, quotaSize: 100_000 });
  const ranges = Array.from({ length: 6 }, (_, at) => [NAMES[at], 0, 90_000]);
  const { sums } = await read(tab, ranges, { limit: 10_000_000 });
  assert.deepEqual(sums, ranges.map((_, at) => sumOf(at, 0, 90_000)));
});

test("a cache that was cleared under an open source is filled again", async () => {
  await read(tab, [[NAMES[0], 0, 1000]], { keepsOpen: true });
  const session = await context.newCDPSession(tab.page);
  await session.send("Storage.clearDataForOrigin", { origin: ORIGIN, storageTypes: "all" });
  const sum = await tab.inWorker(async (_, name, kept) => (await kept.source.read(name, 0, 1000)).reduce((sum, byte) => sum + byte, 0), NAMES[0]);
  assert.equal(sum, sumOf(0, 0, 1000));
});

/** Keeps parts in a tab's worker; returns the progress, what is kept, and the error, if there was one. */
const keep = (where, parts, options = {}) =>
  where.inWorker(
    async (_, { base, origin, parts, abortAfter, inPlace = false }, kept) => {
      const { openKept } = await import(`${origin}/vademecum/parts/kept.js`);
      const { PartSource } = await import(`${origin}/vademecum/parts/source.js`);
      const { VademecumError } = await import(`${origin}/vademecum/error.js`);
      const source = new PartSource({ addressOf: (part) => `${base}/parts/${part}.bin` });
      kept.parts ??= await openKept(`${base}/manifest.json`);
      kept.source = source;
      source.useKept(kept.parts);
      const ending = new AbortController();
      const progress = [];
      let count = 0;
      const onProgress = (at) => {
        progress.push(at);
        if (++count === abortAfter) ending.abort();
      };
      let code = null;
      try {
        await kept.parts.keep({
          parts,
          manifest: new TextEncoder().encode("{}"),
          fetchPart: (name, how) => source.whole(name, how),
          damaged: (name) => new VademecumError(name, { code: "part_damaged" }),
          signal: ending.signal,
          onProgress,
        });
      } catch (error) {
        code = error.code ?? String(error);
      }
      if (inPlace) await kept.parts.close();
      return { code, first: progress[0], last: progress.at(-1), size: kept.parts.size };
    },
    { base: HOST, origin: ORIGIN, parts, ...options },
  );
const readKept = (where, at, start, end) =>
  where.inWorker(
    async (_, { base, origin, name, start, end }, kept) => {
      const { openKept } = await import(`${origin}/vademecum/parts/kept.js`);
      kept.parts ??= await openKept(`${base}/manifest.json`);
      const bytes = await kept.parts.read(name, start, end);
      return bytes && bytes.reduce((sum, byte) => sum + byte, 0);
    },
    { base: HOST, origin: ORIGIN, name: NAMES[at], start, end },
  );

/** What a source has at hand of a part: the sum of its bytes, or null if they are not all there. */
const atHand = (where, at, start, end) =>
  where.inWorker(
    (_, [name, start, end], { source }) => {
      const bytes = new Uint8Array(end - start);
      return source.atHand(name, start, bytes) ? bytes.reduce((sum, byte) => sum + byte, 0) : null;
    },
    [NAMES[at], start, end],
  );

const total = 10 * LENGTH;
const TEN = PARTS.slice(0, 10);

test("parts that are kept are read without a request, in several tabs, and are gone when they are forgotten", async () => {
  assert.deepEqual(await keep(tab, TEN), { code: null, first: { loaded: 0, total }, last: { loaded: total, total }, size: { parts: 10, bytes: total } });
  assert.equal(host.since().length, 10);
  const second = await openTab(context);
  for (const where of [tab, second]) {
    assert.equal(await readKept(where, 3, 1000, 2000), sumOf(3, 1000, 2000));
    assert.equal(await readKept(where, 9, 99_000, 200_000), sumOf(9, 99_000, LENGTH));
    assert.equal(await readKept(where, 20, 0, 10), null);
  }
  assert.deepEqual(await keep(second, TEN), { code: null, first: { loaded: total, total }, last: { loaded: total, total }, size: { parts: 10, bytes: total } });
  assert.deepEqual(host.since(), []);
  for (const where of [tab, second]) {
    assert.equal(await atHand(where, 3, 1000, 2000), sumOf(3, 1000, 2000), "an open file is read without waiting");
    assert.equal(await atHand(where, 9, 99_000, LENGTH), sumOf(9, 99_000, LENGTH));
    assert.equal(await atHand(where, 9, 99_000, LENGTH + 1), null, "the next part is not read");
    assert.equal(await atHand(where, 20, 0, 10), null);
  }
  await second.close();
  await tab.inWorker((_, __, kept) => kept.parts.forget());
  assert.equal(await readKept(tab, 3, 1000, 2000), null);
  assert.equal(await atHand(tab, 3, 1000, 2000), null);
  const left = await tab.run(async () => {
    const names = [];
    for await (const name of (await (await navigator.storage.getDirectory()).getDirectoryHandle("vademecum-parts")).keys()) names.push(name);
    return names;
  });
  assert.deepEqual(left, []);
});

test("a download that was aborted, and one whose tab was closed, go on where they ended", async () => {
  const { code, size } = await keep(tab, PARTS, { abortAfter: 12 });
  assert.equal(code, "aborted");
  assert.ok(size.parts >= 11 && size.parts < 40, `${size.parts} parts`);
  host.since();
  const again = await keep(tab, PARTS);
  assert.deepEqual([again.code, again.first.loaded, again.size.parts], [null, size.bytes, 40]);
  assert.equal(host.since().length, 40 - size.parts);
  await tab.inWorker((_, __, kept) => kept.parts.forget());
  host.delay = 50;
  const second = await openTab(context);
  const running = keep(second, PARTS).catch(() => {});
  while (host.seen.length < 30) await new Promise((resolve) => setTimeout(resolve, 20));
  await second.close();
  await running;
  host.reset();
  const third = await openTab(context);
  const rest = await keep(third, PARTS);
  assert.deepEqual([rest.code, rest.size.parts], [null, 40]);
  assert.ok(host.since().length < 40, "what was written in the first megabytes is not fetched again");
  assert.equal(await readKept(third, 39, 0, 1000), sumOf(39, 0, 1000));
});

test("parts of an earlier version are forgotten, and their file with them", async () => {
  await keep(tab, PARTS.slice(0, 20));
  const { size } = await keep(tab, PARTS.slice(15, 30));
  assert.deepEqual(size, { parts: 15, bytes: 15 * LENGTH });
  assert.equal(await readKept(tab, 17, 0, 500), sumOf(17, 0, 500));
  assert.equal(await readKept(tab, 3, 0, 500), null);
  const bytes = await tab.run(async () => {
    let sum = 0;
    for await (const folder of (await (await navigator.storage.getDirectory()).getDirectoryHandle("vademecum-parts")).values()) {
      for await (const file of /** @type {any} */ (folder).values()) if (file.name.endsWith(".pack")) sum += (await file.getFile()).size;
    }
    return sum;
  });
  assert.equal(bytes, 15 * LENGTH);
});

test("a part is kept once its hash is right: a stale one is asked for again, and one that stays wrong is an error", async () => {
  host.rule(`/parts/${NAMES[2]}.bin`, "stale");
  assert.deepEqual((await keep(tab, TEN)).size, { parts: 10, bytes: total });
  await tab.inWorker((_, __, kept) => kept.parts.forget());
  host.rule(`/parts/${NAMES[2]}.bin`, "alwaysStale");
  const { code, size } = await keep(tab, TEN);
  assert.equal(code, "part_damaged");
  assert.ok(size.parts < 10);
});

test("private files that were cleared under an open library are not read any more", async () => {
  await keep(tab, TEN);
  await tab.run(async () => (await navigator.storage.getDirectory()).removeEntry("vademecum-parts", { recursive: true }).catch(() => {}));
  const session = await context.newCDPSession(tab.page);
  await session.send("Storage.clearDataForOrigin", { origin: ORIGIN, storageTypes: "file_systems" });
  host.since();
  const sum = await tab.inWorker(async (_, name, kept) => (await kept.source.read(name, 0, 1000)).reduce((sum, byte) => sum + byte, 0), NAMES[1]);
  assert.equal(sum, sumOf(1, 0, 1000));
});

test("a full disk is an error with a code, and what is kept stays", async () => {
  const session = await context.newCDPSession(tab.page);
  await session.send("Storage.overrideQuotaForOrigin", { origin: ORIGIN, quotaSize: 2_500_000 });
  const { code, size } = await keep(tab, PARTS);
  assert.equal(code, "storage_full");
  assert.ok(size.parts >= 5 && size.parts < 40, `${size.parts} parts`);
  const second = await openTab(context);
  assert.equal(await readKept(second, 0, 0, 1000), sumOf(0, 0, 1000));
  await session.send("Storage.overrideQuotaForOrigin", { origin: ORIGIN, quotaSize: 100_000_000 });
  assert.deepEqual((await keep(second, PARTS)).size.parts, 40);
});

test("what is kept is deleted when the tab that is writing it has done so", async () => {
  const second = await openTab(context);
  host.delay = 20;
  const keeping = keep(second, PARTS);
  while (host.seen.length < 5) await new Promise((resolve) => setTimeout(resolve, 10));
  const forgotten = tab.inWorker(
    async (_, { base, origin }) => {
      const { forgetKept } = await import(`${origin}/vademecum/parts/kept.js`);
      await forgetKept(`${base}/manifest.json`).catch(() => {}); // its packs are open in the other tab
    },
    { base: HOST, origin: ORIGIN },
  );
  const first = await Promise.race([forgotten.then(() => "forgotten"), keeping.then(({ code }) => code ?? "kept")]);
  assert.equal(first, "kept");
  await forgotten;
});

test("a pack that a closed tab left without its table is deleted by the next download", async () => {
  await keep(tab, TEN.slice(0, 5));
  await tab.run(async () => {
    for await (const folder of (await (await navigator.storage.getDirectory()).getDirectoryHandle("vademecum-parts")).values()) {
      const left = await (await /** @type {any} */ (folder).getFileHandle("7.pack", { create: true })).createWritable();
      await left.write(new Uint8Array(1000));
      await left.close();
    }
  });
  const second = await openTab(context);
  assert.deepEqual((await keep(second, TEN)).size, { parts: 10, bytes: total });
  const names = await tab.run(async () => {
    const names = [];
    for await (const folder of (await (await navigator.storage.getDirectory()).getDirectoryHandle("vademecum-parts")).values()) {
      for await (const name of /** @type {any} */ (folder).keys()) names.push(name);
    }
    return names;
  });
  assert.ok(!names.includes("7.pack"), names.join(", "));
});
