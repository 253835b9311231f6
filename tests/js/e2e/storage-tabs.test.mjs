// One library in several tabs: one writes, the others read, and the next in the queue takes over however the first ends.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startDemo } from "../support/demo.mjs";
import { closeKept, openTab, unused, write } from "../support/tab.mjs";

let demo;
let tab;
before(async () => {
  demo = await startDemo();
  tab = await openTab(demo.page.context());
});
after(() => demo?.close());

for (const kind of ["opfs", "indexeddb"]) {
  test(`a second tab reads what the first writes, and is told why it cannot write (${kind})`, async () => {
    const name = unused();
    await write(tab, { name, kind });
    const second = await openTab(demo.page.context());
    const seen = await second.inWorker(async ({ openStorage, deleteLibrary }, { name }) => {
      const storage = await openStorage(name); // detects the kind
      const thrown = (call) => call.then(() => null, ({ code, message }) => ({ code, message }));
      return {
        kind: storage.kind,
        readOnly: storage.readOnly,
        read: [...(await storage.read("a"))],
        write: await thrown(storage.write("a", Uint8Array.of(2))),
        remove: await thrown(storage.remove("a")),
        destroy: await thrown(storage.destroy()),
        delete: await thrown(deleteLibrary(name)),
      };
    }, { name, kind });
    const message = `Another tab has the library “${name}” open for writing; close it, or reload here.`;
    const refused = { code: "read_only", message };
    assert.deepEqual({ ...seen, delete: seen.delete?.code }, {
      kind, readOnly: true, read: [1], write: refused, remove: refused, destroy: refused, delete: "library_in_use",
    });
    await second.close();
    await closeKept(tab);
  });

  for (const [how, end] of /** @type {[string, (tab: any) => Promise<unknown>][]} */ ([
    ["closes it", closeKept],
    ["is closed", (first) => first.close()],
    ["loses its worker in the middle of a write", (first) => first.page.evaluate(async () => {
      there("async (_, __, kept) => kept.storage.write('b', new Uint8Array(60_000_000))");
      await new Promise((resolve) => setTimeout(resolve, 30));
      worker.terminate();
    })],
    ["crashes", async (first) => {
      const crashed = first.page.waitForEvent("crash");
      first.page.goto("chrome://crash").catch(() => {});
      await crashed;
    }],
  ])) {
    test(`a waiting tab becomes the writer when the first ${how} (${kind})`, async () => {
      const name = unused();
      const first = await openTab(demo.page.context());
      await write(first, { name, kind });
      const second = await openTab(demo.page.context());
      const waiting = await second.inWorker(async ({ openStorage }, { name, kind }, kept) => {
        kept.storage = await openStorage(name, { kind });
        kept.times = 0;
        kept.writable = new Promise((resolve) => kept.storage.onWritable(() => resolve(++kept.times)));
        return [kept.storage.readOnly, [...(await kept.storage.read("a"))]];
      }, { name, kind });
      assert.deepEqual(waiting, [true, [1]]);
      await end(first);
      const seen = await second.inWorker(async (_, __, kept) => {
        const { storage, writable } = kept;
        await writable;
        await storage.write("b", Uint8Array.of(7));
        const seen = [storage.readOnly, kept.times, [...(await storage.read("a"))], [...(await storage.read("b"))]];
        await storage.destroy();
        return seen;
      });
      assert.deepEqual(seen, [false, 1, [1], [7]]);
      await second.close();
      if (!first.page.isClosed()) await first.close();
    });
  }

  test(`a reader of a library that is destroyed finds nothing, and may make it anew (${kind})`, async () => {
    const name = unused();
    await write(tab, { name, kind });
    const second = await openTab(demo.page.context());
    await second.inWorker(async ({ openStorage }, { name, kind }, kept) => {
      kept.storage = await openStorage(name, { kind });
      await kept.storage.read("a");
    }, { name, kind });
    await tab.inWorker((_, __, kept) => kept.storage.destroy());
    const seen = await second.inWorker(async ({ listLibraries }, { name }, { storage }) => {
      const gone = [await storage.list(), await storage.read("a"), (await listLibraries()).includes(name)];
      await new Promise((resolve) => storage.onWritable(resolve));
      await storage.write("b", Uint8Array.of(3));
      const anew = [(await storage.list()).map((file) => file.name), (await listLibraries()).includes(name)];
      await storage.destroy();
      return { gone, anew };
    }, { name });
    assert.deepEqual(seen, { gone: [[], null, false], anew: [["b"], true] });
    await second.close();
  });

  test(`a reader that closes while it waits never becomes the writer (${kind})`, async () => {
    const name = unused();
    await write(tab, { name, kind });
    const second = await openTab(demo.page.context());
    await second.inWorker(async ({ openStorage }, { name, kind }) => {
      const storage = await openStorage(name, { kind });
      storage.onWritable(() => {});
      await storage.close();
    }, { name, kind });
    await closeKept(tab);
    const readOnly = await tab.inWorker(async ({ openStorage }, { name, kind }) => {
      const storage = await openStorage(name, { kind });
      const { readOnly } = storage;
      await storage.destroy();
      return readOnly;
    }, { name, kind });
    assert.equal(readOnly, false);
    await second.close();
  });
}
