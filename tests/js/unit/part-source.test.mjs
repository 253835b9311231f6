// Fetching parts of a library from hosts that behave well and badly, each a real server.

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { MANIFEST } from "../../../crates/web/js/parts/errors.js";
import { request } from "../../../crates/web/js/parts/request.js";
import { PartSource } from "../../../crates/web/js/parts/source.js";
import { startHost } from "../support/part-host.mjs";

const bytesOf = (seed, length = 100_000) => Buffer.from(Uint8Array.from({ length }, (_, at) => (at * 31 + seed * 17 + (at >> 8)) & 0xff));
const FILES = Object.fromEntries(["a", "b", "c"].map((name, seed) => [`/parts/${name}.bin`, bytesOf(seed)]));
const MANIFEST_FILE = Buffer.from('{"format":1}');

let host;
let other;

before(async () => {
  host = await startHost({ ...FILES, "/manifest.json": MANIFEST_FILE });
  other = await startHost({ "/elsewhere.bin": FILES["/parts/a.bin"] });
});
after(() => {
  host.close();
  other.close();
});
beforeEach(() => host.reset());

const source = (options = {}) => new PartSource({ addressOf: (part) => `${host.address}/parts/${part}.bin`, ...options });
const expected = (part, start, end) => new Uint8Array(FILES[`/parts/${part}.bin`].subarray(start, end));
const ranges = () => host.since().map(({ path, range }) => `${path.slice(7, 8)} ${range?.slice(6) ?? "all"}`).sort();
const code = (promise) => promise.then(() => "no error", (error) => error.code);

test("a range is asked for, and ranges of a part that are close together are one request", async () => {
  const parts = source();
  assert.deepEqual(await parts.read("a", 1000, 2000), expected("a", 1000, 2000));
  assert.deepEqual(ranges(), ["a 1000-1999"]);
  const read = await Promise.all([parts.read("a", 5000, 6000), parts.read("a", 7000, 7500), parts.read("a", 40_000, 41_000), parts.read("b", 0, 10)]);
  assert.deepEqual(read, [expected("a", 5000, 6000), expected("a", 7000, 7500), expected("a", 40_000, 41_000), expected("b", 0, 10)]);
  assert.deepEqual(ranges(), ["a 40000-40999", "a 5000-7499", "b 0-9"]);
});

test("at most six requests are under way at once, and equal ones are shared", async () => {
  host.delay = 30;
  const parts = source();
  await parts.read("a", 0, 10);
  host.since();
  const wanted = Array.from({ length: 20 }, (_, n) => parts.read("a", n * 5000, n * 5000 + 100));
  await Promise.all([...wanted, ...Array.from({ length: 20 }, (_, n) => parts.read("a", n * 5000 + 10, n * 5000 + 20))]);
  assert.equal(host.since().length, 20);
  assert.equal(host.most, 6);
  const first = parts.read("b", 0, 100);
  await new Promise((resolve) => setTimeout(resolve, 15)); // it is under way
  assert.deepEqual(await Promise.all([first, parts.read("b", 10, 20)]), [expected("b", 0, 100), expected("b", 10, 20)]);
  assert.deepEqual(ranges(), ["b 0-99"]);
});

test("a host that ignores ranges is asked once for a part, whatever is read of it", async () => {
  host.honoursRange = false;
  const parts = source();
  const read = await Promise.all([parts.read("a", 0, 10), parts.read("a", 50_000, 50_010), parts.read("a", 99_990, 100_000)]);
  assert.deepEqual(read, [expected("a", 0, 10), expected("a", 50_000, 50_010), expected("a", 99_990, 100_000)]);
  await parts.read("a", 20_000, 30_000);
  assert.deepEqual(ranges(), ["a 0-9"]);
  await Promise.all([parts.read("b", 0, 10), parts.read("b", 50_000, 50_010)]);
  assert.deepEqual(ranges(), ["b all"]);
});

test("whole parts in memory are bounded", async () => {
  host.honoursRange = false;
  const long = Buffer.alloc(3 * 2 ** 20, 7);
  for (const name of ["x", "y", "z"]) host.files.set(`/parts/${name}.bin`, long);
  const parts = source();
  for (const name of ["x", "y", "z", "z", "y"]) await parts.read(name, 0, 10);
  assert.deepEqual(ranges(), ["x 0-9", "y all", "z all"]);
  await parts.read("x", 0, 10); // of three parts of 3 MB, 8 MB have room for two
  assert.deepEqual(ranges(), ["x all"]);
});

test("a stale part is asked for again past the caches, once for all who find it damaged", async () => {
  host.rule("/parts/a.bin", "stale");
  const parts = source();
  assert.notDeepEqual(await parts.read("a", 0, 100), expected("a", 0, 100));
  host.since();
  const again = await Promise.all([parts.read("a", 0, 100, { isFresh: true }), parts.read("a", 500, 600, { isFresh: true })]);
  assert.deepEqual(again, [expected("a", 0, 100), expected("a", 500, 600)]);
  assert.deepEqual(host.since(), [{ path: "/parts/a.bin", fresh: true }]);
  assert.deepEqual(await parts.read("a", 700, 800), expected("a", 700, 800));
  assert.deepEqual(host.since(), [], "the fresh part is kept");
});

test("a page in place of a part or of the manifest is not taken for it, typed or not", async () => {
  for (const rule of ["page", "untypedPage"]) {
    host.rule("*", rule);
    assert.equal(await code(source().read("a", 0, 10)), "part_missing", rule);
    assert.equal(await code(request({ file: { ...MANIFEST, url: `${host.address}/manifest.json` } })), "manifest_missing", rule);
  }
  host.reset();
  assert.equal(await code(source().read("absent", 0, 10)), "part_missing");
  assert.equal(host.since().length, 1, "a missing part is not asked for again");
});

test("bytes that a host compresses twice are read, of parts and of the manifest", async () => {
  host.rule("*", "gzipTwice");
  assert.deepEqual(await source().read("a", 1000, 1100), expected("a", 1000, 1100));
  const { bytes } = await request({ file: { ...MANIFEST, url: `${host.address}/manifest.json` } });
  assert.equal(Buffer.from(bytes).toString(), MANIFEST_FILE.toString());
});

test("a cut body is asked for again, and is an error when it stays cut", { timeout: 30_000 }, async () => {
  for (const how of ["cut", "short"]) {
    host.rule("/parts/a.bin", how, "ok");
    assert.deepEqual(await source().read("a", 0, 5000), expected("a", 0, 5000), how);
    assert.equal(host.since().length, 2, how);
  }
  host.rule("/parts/a.bin", "cut");
  assert.match(await code(source().read("a", 0, 5000)), /^(host_failed|offline)$/);
  assert.equal(host.since().length, 4);
});

test("a redirect is refused, also to another origin, which is not asked", async () => {
  host.rule("/parts/a.bin", `redirect:${other.address}/elsewhere.bin`);
  assert.equal(await code(source().read("a", 0, 10)), "redirected");
  assert.deepEqual(other.seen, []);
  assert.equal(host.since().length, 1);
});

test("a host that sends another range is asked for the whole part", async () => {
  host.rule("/parts/a.bin", "otherRange");
  assert.deepEqual(await source().read("a", 100, 200), expected("a", 100, 200));
  assert.deepEqual(ranges(), ["a 100-199", "a all"]);
});

test("a range beyond the end of a part is empty, for the reader to ask again", async () => {
  const parts = source();
  assert.deepEqual(await parts.read("a", 200_000, 200_010), new Uint8Array(0));
  assert.deepEqual(await parts.read("a", 99_990, 100_010), expected("a", 99_990, 100_000));
});

test("requests are repeated after 429 and 5xx, as late as the host asks, and end with a code", { timeout: 30_000 }, async () => {
  host.rule("/parts/a.bin", { status: 429, headers: { "retry-after": "1" } }, 503, "ok");
  const began = performance.now();
  assert.deepEqual(await source().read("a", 0, 10), expected("a", 0, 10));
  assert.ok(performance.now() - began >= 1000);
  assert.equal(host.since().length, 3);
  host.rule("/parts/a.bin", { status: 503, headers: { "retry-after": "3600" } });
  const error = await source().read("a", 0, 10).catch((error) => error);
  assert.deepEqual([error.code, error.retryable], ["host_failed", true]);
  assert.match(error.message, /HTTP 503, and asks to wait 3600 seconds/);
  assert.equal(host.since().length, 1);
  host.rule("/parts/a.bin", 500);
  assert.equal(await code(source().read("a", 0, 10)), "host_failed");
  assert.equal(host.since().length, 4);
});

test("a host that says nothing, or that is not there, ends in time with a code", { timeout: 30_000 }, async () => {
  host.rule("/parts/a.bin", "silent");
  assert.equal(await code(source({ timeout: 50 }).read("a", 0, 10)), "host_failed");
  assert.equal(host.since().length, 4);
  const gone = new PartSource({ addressOf: () => "http://127.0.0.1:9/a.bin" });
  const error = await gone.read("a", 0, 10).catch((error) => error);
  assert.deepEqual([error.code, error.retryable], ["offline", true]);
});

test("a signal ends a read, and the request once nobody waits for it", { timeout: 30_000 }, async () => {
  const parts = source();
  await parts.read("b", 0, 10);
  host.rule("/parts/a.bin", "silent");
  const [first, second] = [new AbortController(), new AbortController()];
  const one = code(parts.read("a", 0, 100, { signal: first.signal }));
  const two = code(parts.read("a", 10, 20, { signal: second.signal }));
  await new Promise((resolve) => setTimeout(resolve, 50));
  first.abort();
  assert.equal(await one, "aborted");
  assert.equal(host.atOnce, 1, "the other one still waits for it");
  second.abort();
  assert.equal(await two, "aborted");
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(host.atOnce, 0);
  host.rule("/parts/a.bin");
  assert.deepEqual(await parts.read("a", 0, 100), expected("a", 0, 100));
  assert.equal(await code(parts.read("a", 0, 100, { signal: AbortSignal.abort() })), "aborted");
});
