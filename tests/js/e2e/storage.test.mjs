// Every kind of storage for libraries, in real tabs and workers of one browser.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import { ARGUMENTS, ORIGIN, startDemo } from "../support/demo.mjs";
import { startProxy } from "../support/proxy.mjs";
import { openTab, unused, write } from "../support/tab.mjs";

/** An insecure origin, without the origin private file system and locks. */
const INSECURE = "http://insecure.test";
const MB = 1_000_000;
const PAGE = process.env.VADEMECUM_PAGE;

let demo;
let tab;
before(async () => {
  demo = await startDemo({ routes: { [new URL(INSECURE).host]: PAGE } });
  tab = await openTab(demo.page.context());
});
after(() => demo?.close());

/** Defines a test for each kind of storage, and for both APIs of the origin private file system. */
function everywhere(name, body) {
  for (const [kind, where] of [["opfs", "inWorker"], ["opfs", "run"], ["indexeddb", "inWorker"], ["indexeddb", "run"], ["memory", "run"]]) {
    test(`${name} (${kind}, ${where === "run" ? "on a page" : "in a worker"})`, (t) => body((...call) => tab[where](...call), kind, t));
  }
}

everywhere("a file can be written, listed, read, replaced and removed", async (run, kind) => {
  const seen = await run(async ({ openStorage }, { name, kind }) => {
    const storage = await openStorage(name, { kind });
    const seen = { kind: storage.kind, readOnly: storage.readOnly, empty: [await storage.list(), await storage.read("a")] };
    await storage.write("a", Uint8Array.of(1, 2, 3));
    await storage.write("manifest-1._x", new Uint8Array(0));
    await storage.write("b", new Uint8Array(1000));
    seen.listed = (await storage.list()).sort((a, b) => (a.name < b.name ? -1 : 1));
    seen.read = [...(await storage.read("a"))];
    seen.readEmpty = [...(await storage.read("manifest-1._x"))];
    await storage.write("b", Uint8Array.of(9));
    seen.replaced = [...(await storage.read("b"))];
    await storage.remove("b");
    await storage.remove("never-there");
    seen.removed = await storage.read("b");
    seen.estimate = await storage.estimate();
    await storage.close();
    return seen;
  }, { name: unused(), kind });
  const { usage, quota } = seen.estimate;
  assert.ok(usage >= 0 && quota > usage);
  assert.deepEqual({ ...seen, estimate: null }, {
    kind,
    readOnly: false,
    empty: [[], null],
    listed: [{ name: "a", bytes: 3 }, { name: "b", bytes: 1000 }, { name: "manifest-1._x", bytes: 0 }],
    read: [1, 2, 3],
    readEmpty: [],
    replaced: [9],
    removed: null,
    estimate: null,
  });
});

everywhere("what was written is there when the library is opened again", async (run, kind) => {
  const read = await run(async ({ openStorage }, { name, kind }) => {
    const first = await openStorage(name, { kind });
    await first.write("a", new TextEncoder().encode("kept"));
    await first.close();
    const second = await openStorage(name, { kind });
    const bytes = await second.read("a");
    await second.close();
    return bytes && new TextDecoder().decode(bytes);
  }, { name: unused(), kind });
  assert.equal(read, kind === "memory" ? null : "kept");
});

everywhere("a file of 30 MB comes back byte for byte", async (run, kind, t) => {
  const took = await run(async ({ openStorage }, { name, kind, size }) => {
    // A view of a larger buffer, such as wasm memory: only the view must be written.
    const bytes = new Uint8Array(new ArrayBuffer(size + 100), 50, size);
    for (let n = 0; n < size; n += 1) bytes[n] = (n * 2654435761) >>> 13;
    const digest = async (of) => String(new Uint8Array(await crypto.subtle.digest("SHA-256", of)));
    const expected = await digest(bytes);
    const storage = await openStorage(name, { kind });
    const started = performance.now();
    const writing = storage.write("big", bytes);
    bytes.fill(0); // later changes must not affect the write
    await writing;
    const written = performance.now();
    const read = await storage.read("big");
    const done = performance.now();
    const [listed] = await storage.list();
    const isSame = (await digest(read)) === expected;
    const startedSmall = performance.now();
    for (let n = 0; n < 20; n += 1) await storage.write(`small-${n % 2}`, new Uint8Array(300));
    const small = (performance.now() - startedSmall) / 20;
    await storage.destroy();
    return { isSame, listed, write: written - started, read: done - written, small };
  }, { name: unused(), kind, size: 30 * MB });
  assert.deepEqual([took.isSame, took.listed], [true, { name: "big", bytes: 30 * MB }]);
  t.diagnostic(`30 MB: written in ${took.write.toFixed(0)} ms, read in ${took.read.toFixed(0)} ms; 300 bytes written in ${took.small.toFixed(1)} ms`);
});

everywhere("writes at the same time are all kept, and of two to one file the later one is", async (run, kind) => {
  const seen = await run(async ({ openStorage }, { name, kind }) => {
    const storage = await openStorage(name, { kind });
    const writes = Array.from({ length: 40 }, (_, n) => storage.write(`f${n % 20}`, new Uint8Array(n + 1).fill(n)));
    const reads = Promise.all(Array.from({ length: 20 }, (_, n) => storage.read(`f${n}`)));
    await Promise.all(writes);
    await reads; // reads must not fail in any state
    const wrong = [];
    for (let n = 0; n < 20; n += 1) {
      const bytes = await storage.read(`f${n}`);
      if (bytes.length !== n + 21 || bytes.some((byte) => byte !== n + 20)) wrong.push(n);
    }
    const late = storage.write("late", Uint8Array.of(1));
    const files = storage.list();
    await storage.close();
    return { wrong, late: (await late) ?? "written", files: (await files).length >= 20 };
  }, { name: unused(), kind });
  assert.deepEqual(seen, { wrong: [], late: "written", files: true });
});

everywhere("what is no file name, no bytes or no longer open is refused", async (run, kind) => {
  const codes = await run(async ({ openStorage }, { name, kind }) => {
    const storage = await openStorage(name, { kind });
    const codeOf = (call) => Promise.resolve(call).then(() => "none", ({ code }) => code);
    const codes = [];
    for (const bad of ["", "..", "A", "a/b", "@name", "x".repeat(65)]) codes.push(await codeOf(storage.write(bad, new Uint8Array(1))));
    codes.push(await codeOf(storage.write("a", "text")), await codeOf(storage.read("a b")), await codeOf(storage.remove("é")));
    await storage.close();
    await storage.close();
    codes.push(await codeOf(storage.list()), await codeOf(storage.write("a", new Uint8Array(1))));
    return codes;
  }, { name: unused(), kind });
  assert.deepEqual(codes, [...Array(9).fill("invalid_argument"), "closed", "closed"]);
});

for (const kind of ["opfs", "indexeddb"]) {
  const ODD = [
    "..", ".", "/", "\\", "a/b", "a\\b", "a", "A", "ä", "a\u0308", "ＡＢ", "con", "nul.txt", " ", " a", "a ", "\n", "\0", "%2e%2e",
    "\ufeffa", "-", "*?<>|:\"", "图书馆", "🦓", "vademecum", "__proto__", "x".repeat(200), "X".repeat(200), "🦓".repeat(200),
  ];

  test(`libraries with odd names, and names that differ in case alone, never meet (${kind})`, async () => {
    const seen = await tab.inWorker(async ({ openStorage, listLibraries, deleteLibrary }, { names, kind }) => {
      const before = await listLibraries();
      const opened = [];
      for (const [n, name] of names.entries()) {
        const storage = await openStorage(name, { kind });
        if (storage.readOnly || (await storage.list()).length) return `${JSON.stringify(name)} has met another`;
        await storage.write("n", Uint8Array.of(n));
        opened.push(storage);
      }
      const read = [];
      for (const storage of opened) {
        read.push((await storage.read("n"))[0]);
        await storage.close();
      }
      const listed = (await listLibraries()).filter((name) => !before.includes(name));
      for (const name of names) await deleteLibrary(name);
      return { read, listed, left: (await listLibraries()).filter((name) => !before.includes(name)) };
    }, { names: ODD, kind });
    assert.deepEqual(seen, { read: ODD.map((_, n) => n), listed: [...ODD].sort(), left: [] });
  });

  test(`destroying a library takes nothing from another, and its name can be used anew (${kind})`, async () => {
    const names = [unused(), unused()];
    const seen = await tab.inWorker(async ({ openStorage, listLibraries }, { names, kind }) => {
      const [one, two] = await Promise.all(names.map((name) => openStorage(name, { kind })));
      await Promise.all([one.write("a", Uint8Array.of(1)), two.write("a", Uint8Array.of(2))]);
      await one.destroy();
      const code = await one.list().catch(({ code }) => code);
      const listed = (await listLibraries()).filter((name) => names.includes(name));
      const anew = await openStorage(names[0], { kind });
      const seen = { code, listed, anew: [anew.readOnly, await anew.list()], two: [...(await two.read("a"))] };
      await Promise.all([anew.destroy(), two.destroy()]);
      return seen;
    }, { names, kind });
    assert.deepEqual(seen, { code: "closed", listed: [names[1]], anew: [false, []], two: [2] });
  });
}

/** Opens a tab in a new profile with a quota in bytes. IndexedDB checks the quota only periodically. */
async function inLittleSpace(quotaSize, body) {
  const context = await demo.page.context().browser().newContext();
  try {
    const little = await openTab(context);
    const session = await context.newCDPSession(little.page);
    const limit = (to) => session.send("Storage.overrideQuotaForOrigin", { origin: ORIGIN, quotaSize: to });
    await limit(quotaSize);
    await body(little, limit);
  } finally {
    await context.close();
  }
}

for (const [kind, where] of [["opfs", "inWorker"], ["opfs", "run"], ["indexeddb", "inWorker"], ["indexeddb", "run"]]) {
  test(`a full storage says how full, and keeps what it has (${kind}, ${where === "run" ? "on a page" : "in a worker"})`, (t) =>
    inLittleSpace(5 * MB, async (little, limit) => {
      const seen = await little[where](async ({ openStorage }, kind, kept) => {
        const thrown = (call) => call.then(() => null, ({ code, message }) => ({ code, message }));
        const full = (kept.full = await openStorage("full", { kind }));
        await full.write("early", new Uint8Array(1_000_000).fill(5));
        const large = crypto.getRandomValues(new Uint8Array(60_000));
        const late = new Uint8Array(20_000_000).map((_, n) => large[n % 60_000]);
        const errors = [await thrown(full.write("late", late)), await thrown(full.write("late", late))];
        const early = await full.read("early");
        const files = (await full.list()).map((file) => file.name);
        const small = await thrown(full.write("small", new Uint8Array(1000)));
        return { errors, early: early.length === 1_000_000 && early.every((byte) => byte === 5), files, small };
      }, kind);
      t.diagnostic(seen.errors?.[0]?.message ?? JSON.stringify(seen));
      for (const error of seen.errors) {
        assert.equal(error?.code, "storage_full");
        assert.match(error.message, /20\.0 MB were to be written; by its own account \d+\.\d [KM]B of \d+\.\d MB are taken.*Remove documents/);
      }
      assert.deepEqual([seen.early, seen.files, seen.small], [true, ["early"], null]);
      if (kind === "indexeddb") return;
      await limit(100 * MB);
      const later = await little[where](async (_, __, { full }) => {
        await full.write("late", new Uint8Array(20_000_000));
        return (await full.read("late")).length;
      });
      assert.equal(later, 20 * MB);
    }));
}

test("a new library in full storage is refused as full, and not created in another kind of storage", () =>
  inLittleSpace(2 * MB, async (little, limit) => {
    const codes = [];
    for (const where of ["run", "inWorker"]) {
      codes.push(await little[where](async ({ openStorage }, name) => {
        const first = await openStorage(`${name} filler`, { kind: "opfs" });
        for (let size = 1_000_000; size >= 1; size = Math.floor(size / 2)) {
          await first.write(`f${size}`, new Uint8Array(size)).catch(() => {});
        }
        return openStorage(name).then(({ kind }) => kind, ({ code }) => code);
      }, where));
      await limit(4 * MB);
    }
    assert.deepEqual(codes, ["storage_full", "storage_full"]);
  }));

test("a new library is created in the private file system if that works", async () => {
  for (const where of ["run", "inWorker"]) {
    const kind = await tab[where](async ({ openStorage }, name) => {
      const storage = await openStorage(name);
      await storage.destroy();
      return storage.kind;
    }, unused());
    assert.equal(kind, "opfs");
  }
});

test("a library stays in the storage where it was created", async () => {
  const name = unused();
  const kind = await tab.inWorker(async ({ openStorage }, name) => {
    const first = await openStorage(name, { kind: "indexeddb" });
    await first.write("a", Uint8Array.of(1));
    await first.close();
    const second = await openStorage(name);
    const read = await second.read("a");
    await second.destroy();
    return [second.kind, [...read]];
  }, name);
  assert.deepEqual(kind, ["indexeddb", [1]]);
});

for (const [what, breakIt] of [
  ["cannot be opened", () => { navigator.storage.getDirectory = () => Promise.reject(new DOMException("denied", "SecurityError")); }],
  ["cannot be written", () => {
    FileSystemFileHandle.prototype.createSyncAccessHandle = () => Promise.reject(new DOMException("no", "UnknownError"));
  }],
  ["keeps something else", () => {
    const { write } = FileSystemSyncAccessHandle.prototype;
    FileSystemSyncAccessHandle.prototype.write = function (bytes, at) { return write.call(this, new Uint8Array(bytes.length), at); };
  }],
]) {
  test(`a private file system that ${what} is passed over for IndexedDB, and no deletion fails on it`, async () => {
    const broken = await openTab(demo.page.context());
    const seen = await broken.inWorker(async ({ openStorage, listLibraries, deleteLibrary }, { name, breakIt }) => {
      (0, eval)(`(${breakIt})()`);
      const storage = await openStorage(name);
      await storage.write("a", Uint8Array.of(4));
      const seen = [storage.kind, [...(await storage.read("a"))], (await listLibraries()).includes(name)];
      const alone = await openStorage(`${name} alone`, { kind: "opfs" }).catch(({ code }) => code);
      await storage.close();
      await deleteLibrary(name);
      return [...seen, alone, (await listLibraries()).includes(name)];
    }, { name: unused(), breakIt: String(breakIt) });
    assert.deepEqual(seen, ["indexeddb", [4], true, "storage_unavailable", false]);
    await broken.close();
  });
}

test("if nothing can be stored, the error lists the reasons and a remedy", async () => {
  const broken = await openTab(demo.page.context());
  const errors = await broken.inWorker(async ({ openStorage, listLibraries, deleteLibrary }, name) => {
    navigator.storage.getDirectory = () => Promise.reject(new DOMException("denied", "SecurityError"));
    Object.defineProperty(self, "indexedDB", { value: undefined });
    const thrown = (call) => call.then(() => null, ({ name, code, message }) => ({ name, code, message }));
    return [await thrown(openStorage(name)), await thrown(listLibraries()), await thrown(deleteLibrary(name))];
  }, unused());
  for (const { name, code, message } of errors) {
    assert.deepEqual([name, code], ["VademecumError", "storage_unavailable"]);
    assert.match(message, /opfs: denied; indexeddb: no IndexedDB.*KnowledgeBase\.memory\(\)/);
  }
  await broken.close();
});

test("an insecure page has neither file system nor locks, and still stores its libraries", async () => {
  const insecure = await openTab(demo.page.context(), INSECURE);
  for (const where of ["run", "inWorker"]) {
    const seen = await insecure[where](async ({ openStorage, listLibraries, deleteLibrary, persist }, name) => {
      const storage = await openStorage(name);
      await storage.write("a", Uint8Array.of(1));
      const seen = { secure: isSecureContext, kind: storage.kind, readOnly: storage.readOnly, estimate: await storage.estimate() };
      await storage.close();
      seen.listed = await listLibraries();
      await deleteLibrary(name);
      return { ...seen, left: await listLibraries(), persisted: await persist() };
    }, "plain");
    assert.deepEqual(seen, {
      secure: false, kind: "indexeddb", readOnly: false, estimate: { usage: null, quota: null }, listed: ["plain"], left: [], persisted: false,
    });
  }
  await insecure.close();
});

test("a page that cannot write private files creates libraries elsewhere, and reports why it cannot write an old one", async () => {
  const old = await openTab(demo.page.context());
  const names = [unused(), unused()];
  await write(old, { name: names[0], kind: "opfs" });
  await old.inWorker((_, __, kept) => kept.storage.close());
  const seen = await old.run(async ({ openStorage }, [name, other]) => {
    delete FileSystemFileHandle.prototype.createWritable; // as in older Safari
    const there = await openStorage(name);
    const seen = { kind: there.kind, read: [...(await there.read("a"))] };
    seen.error = await there.write("a", Uint8Array.of(2)).catch(({ code, message }) => `${code}: ${message}`);
    seen.still = [...(await there.read("a"))];
    const anew = await openStorage(other);
    seen.other = anew.kind;
    await Promise.all([there.destroy(), anew.destroy()]);
    return seen;
  }, names);
  assert.match(seen.error, /^storage_failed: .*dedicated workers only/);
  assert.deepEqual({ ...seen, error: "" }, { kind: "opfs", read: [1], error: "", still: [1], other: "indexeddb" });
  await old.close();
});

test("an interrupted deletion leaves no library, and nothing in a new one of the same name", async () => {
  const seen = await tab.inWorker(async ({ openStorage, listLibraries }, name) => {
    const first = await openStorage(name, { kind: "opfs" });
    await first.write("manifest", Uint8Array.of(1));
    const remove = FileSystemDirectoryHandle.prototype.removeEntry;
    FileSystemDirectoryHandle.prototype.removeEntry = function (entry, options) {
      return options?.recursive ? Promise.reject(new DOMException("cut", "AbortError")) : remove.call(this, entry);
    };
    const code = await first.destroy().catch(({ code }) => code);
    FileSystemDirectoryHandle.prototype.removeEntry = remove;
    await first.close();
    const listed = (await listLibraries()).includes(name);
    const second = await openStorage(name);
    const files = await second.list();
    await second.destroy();
    return { code, listed, files };
  }, unused());
  assert.deepEqual(seen, { code: "storage_failed", listed: false, files: [] });
});

test("a failed write leaves its file unlocked", async () => {
  const seen = await tab.inWorker(async ({ openStorage }, name) => {
    const storage = await openStorage(name, { kind: "opfs" });
    const { write } = FileSystemSyncAccessHandle.prototype;
    const outcomes = [];
    for (const broken of [() => { throw new DOMException("disk", "InvalidStateError"); }, () => 3]) {
      FileSystemSyncAccessHandle.prototype.write = broken;
      outcomes.push(await storage.write("a", new Uint8Array(10)).catch(({ code }) => code), await storage.read("a"));
    }
    FileSystemSyncAccessHandle.prototype.write = write;
    await storage.write("a", new Uint8Array(10));
    outcomes.push((await storage.read("a")).length);
    await storage.destroy();
    return outcomes;
  }, unused());
  assert.deepEqual(seen, ["storage_failed", null, "storage_full", null, 10]);
});

test("invalid names and kinds of libraries are refused", async () => {
  const codes = await tab.run(async ({ openStorage, deleteLibrary }) => {
    const codeOf = (call) => call.then(() => "none", ({ code }) => code);
    const names = ["", "x".repeat(201), "\ud800", undefined, 7];
    return [
      ...(await Promise.all(names.flatMap((name) => [codeOf(openStorage(name)), codeOf(deleteLibrary(name))]))),
      await codeOf(openStorage("a", { kind: "toString" })),
    ];
  });
  assert.deepEqual(codes, Array(11).fill("invalid_argument"));
});

test("deleting a missing library is no error, and persist returns yes or no", async () => {
  const seen = await tab.run(async ({ deleteLibrary, persist }, name) => [await deleteLibrary(name), typeof (await persist())], unused());
  assert.deepEqual(seen, [undefined, "boolean"]);
});

test("libraries outlive the browser", async () => {
  const profile = await mkdtemp(path.join(tmpdir(), "vademecum-profile-"));
  const proxy = await startProxy({ [new URL(ORIGIN).host]: PAGE });
  const launch = () => chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM, args: ARGUMENTS, proxy: { server: proxy.address, bypass: "<-loopback>" },
  });
  try {
    let context = await launch();
    const first = await openTab(context);
    for (const kind of ["opfs", "indexeddb"]) await write(first, { name: kind, kind });
    await context.close(); // with both tabs open
    context = await launch();
    const second = await openTab(context);
    const seen = await second.inWorker(async ({ openStorage, listLibraries }) => {
      const seen = [];
      for (const name of await listLibraries()) {
        const storage = await openStorage(name);
        seen.push([name, storage.kind, storage.readOnly, [...(await storage.read("a"))]]);
      }
      return seen;
    });
    await context.close();
    assert.deepEqual(seen, [["indexeddb", "indexeddb", false, [1]], ["opfs", "opfs", false, [1]]]);
  } finally {
    proxy.close();
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  }
});
