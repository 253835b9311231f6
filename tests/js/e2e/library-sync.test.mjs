// Folders that are kept in sync, and text that is pasted. The folder is one of the browser's own file system for this page.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ORIGIN, startDemo } from "../support/demo.mjs";
import { hold, pictureOf, picturePdf, reports } from "../support/files.mjs";
import { useSmallSample } from "../support/small-sample.mjs";

let demo;
let page;
before(async () => {
  demo = await startDemo();
  page = demo.page;
  page.setDefaultTimeout(60_000);
  await useSmallSample(page);
  await page.context().addInitScript(() => {
    Reflect.set(window, "showDirectoryPicker", async () => {
      let folder = await navigator.storage.getDirectory();
      for (const name of (localStorage.getItem("test.folder") ?? "notes").split("/")) folder = await folder.getDirectoryHandle(name);
      return folder;
    });
    const asked = FileSystemHandle.prototype;
    const query = Reflect.get(asked, "queryPermission");
    Reflect.set(asked, "queryPermission", /** @this {FileSystemHandle} */ async function (...options) {
      return localStorage.getItem("test.permission") ?? query.apply(this, options);
    });
    Reflect.set(asked, "requestPermission", async () => (localStorage.removeItem("test.permission"), "granted"));
  });
  await demo.open("/#library");
});
after(() => demo?.close());

/** Writes files of the folder, as text or bytes; null removes one. */
const write = (files, within = "notes") =>
  page.evaluate(async ([files, within]) => {
    let root = await navigator.storage.getDirectory();
    for (const name of within.split("/")) root = await root.getDirectoryHandle(name, { create: true });
    for (const [path, text] of Object.entries(files)) {
      const parts = path.split("/");
      let folder = root;
      for (const name of parts.slice(0, -1)) folder = await folder.getDirectoryHandle(name, { create: true });
      if (text === null) {
        await folder.removeEntry(parts.at(-1));
        continue;
      }
      const writable = await (await folder.getFileHandle(parts.at(-1), { create: true })).createWritable();
      await writable.write(typeof text === "string" ? text : Uint8Array.from(atob(text.base64), (letter) => letter.charCodeAt(0)));
      await writable.close();
    }
  }, [Object.fromEntries(Object.entries(files).map(([path, content]) => [path, Buffer.isBuffer(content) ? { base64: content.toString("base64") } : content])), within]);
const textOf = (id) => page.evaluate((id) => vademecum.document(id).then(({ text }) => text, () => null), id);
const untilSaid = (pattern) => page.waitForFunction((source) => new RegExp(source).test(document.querySelector("#folders li p")?.textContent), pattern.source);
/** Presses the button, and waits until another outcome is told. */
async function sync(pattern) {
  await page.click('#folders button:has-text("Sync now")');
  await untilSaid(pattern);
}

test("a folder is read with all that is in it, without hidden files, and told to be in sync", async () => {
  await write({ "one.md": "# One\n\nThe first note speaks of herons.", "deep/two.txt": "About lakes.", "rows.csv": "name,city\nAda,Ulm\nBen,Bonn\n", ".hidden.md": "no", "photo.jpeg": "x" });
  await page.click("#sync-folder");
  await untilSaid(/^In sync: 3 files added or changed\.$/);
  assert.equal(await textOf("notes/deep/two.txt"), "About lakes.");
  assert.match(await textOf("notes/rows.csv#2"), /Ben/);
  assert.equal(await textOf("notes/.hidden.md"), null);
  await demo.screenshot("library-synced", { fullPage: true });
});

test("only what has changed is read again, and a file that was saved without a change is not", async () => {
  await sync(/^In sync: 3 unchanged\.$/);
  await write({ "one.md": "# One\n\nThe first note speaks of egrets.", "deep/two.txt": "About lakes.", "three.md": "# Three\n\nNew." });
  await sync(/^In sync: 2 files added or changed, 2 unchanged\.$/);
  assert.match(await textOf("notes/one.md"), /egrets/);
  assert.deepEqual((await reports(page)).map((line) => line.split(":")[0]).sort(), ["notes/one.md replaced", "notes/three.md added"]);
});

test("files that are gone are shown first, and removed only if the user agrees, which can be undone", async () => {
  await write({ "three.md": null, "rows.csv": null });
  await sync(/^In sync: 2 unchanged\.$/);
  assert.deepEqual(await page.locator("#folders .folder-gone li").allTextContents(), ["notes/rows.csv", "notes/three.md"]);
  assert.equal(await page.textContent("#folders .folder-gone summary"), "2 files are not in the folder any more.");
  assert.ok(await textOf("notes/three.md"), "nothing is removed before");
  await demo.screenshot("library-gone", { fullPage: true });
  await page.click('#folders button:has-text("Remove from the library")');
  await page.waitForSelector("#toasts .toast");
  assert.equal(await page.textContent("#toasts .toast p"), "Removed 2 files of notes.");
  await demo.tab("ask"); // ends the time for undo
  await demo.tab("library");
  await page.waitForFunction(() => vademecum.document("notes/three.md").then(() => false, () => true));
  assert.equal(await textOf("notes/rows.csv#1"), null);
  await sync(/^In sync: 2 unchanged\.$/);
  assert.ok(await page.isHidden("#folders .folder-gone"));
});

test("only documents of files that are gone are removed, whatever the names are", async () => {
  const before = { "app.js": "const a = 1;", "app.jsx": "const b = 2;", "C#/x.csv": "name,city\nCleo,Rome\n" };
  await write(before);
  await sync(/^In sync: 3 files added or changed, 2 unchanged\.$/);
  await write({ "app.js": null, "C#/x.csv": null });
  await sync(/^In sync: 3 unchanged\.$/);
  await page.click('#folders button:has-text("Remove from the library")');
  await demo.tab("ask");
  await demo.tab("library");
  await page.waitForFunction(() => vademecum.document("notes/app.js").then(() => false, () => true));
  assert.equal(await textOf("notes/C#/x.csv#1"), null);
  assert.match(await textOf("notes/app.jsx"), /b = 2/);
  await write({ "app.jsx": null });
  await sync(/^In sync: 2 unchanged\.$/);
  await page.click('#folders button:text-is("Keep")');
});

test("a file that failed because of the library is tried again, and one that cannot be read is not", async () => {
  await write({ "late.md": "# Late\n\nComes later.", "empty.md": "" });
  await page.evaluate(() => {
    const add = Object.getPrototypeOf(vademecum).add;
    vademecum.add = async function (...given) {
      if (given[1].some(({ id }) => id.endsWith("late.md"))) throw Object.assign(new Error("The connection broke."), { code: "host_failed" });
      return add.apply(this, given);
    };
  });
  await sync(/^In sync: 2 could not be added, 2 unchanged\.$/);
  await page.evaluate(() => delete vademecum.add);
  await sync(/^In sync: 1 file added or changed, 3 unchanged\.$/);
  assert.match(await textOf("notes/late.md"), /Comes later/);
  await write({ "late.md": null, "empty.md": null });
  await sync(/^In sync: 2 unchanged\.$/);
  await page.click('#folders button:has-text("Remove from the library")');
});

test("a second folder of the same name has paths of its own", async () => {
  await page.evaluate(() => localStorage.setItem("test.folder", "other/notes"));
  await write({ "one.md": "# One\n\nOf the other folder." }, "other/notes");
  await page.click("#sync-folder");
  await page.waitForFunction(() => /^In sync: 1 file added/.test(document.querySelector("#folders li:nth-child(2) p")?.textContent));
  assert.match(await textOf("notes/one.md"), /egrets/);
  assert.match(await textOf("notes (2)/one.md"), /other folder/);
  assert.equal(await page.textContent("#folders li:nth-child(2) b"), "notes (2)");
  await page.evaluate(() => localStorage.removeItem("test.folder"));
  await page.click('#folders li:nth-child(2) button:has-text("Stop keeping it in sync")');
});

test("a library that lost its documents is filled again at the next visit", async () => {
  await page.evaluate(() => vademecum.documents({ limit: 1000, filters: [{ field: "folder", operator: "in", value: ["notes", "notes/deep"] }] }).then(({ documents }) => vademecum.remove("default", documents.map(({ id }) => id))));
  assert.equal(await textOf("notes/one.md"), null);
  await page.reload();
  await page.waitForSelector("body[data-searchable]");
  await untilSaid(/^In sync: 2 files added or changed\.$/);
  assert.match(await textOf("notes/one.md"), /egrets/);
});

test("a file that cannot be read does not hide the others, and does not count as gone", async () => {
  const { paths, refused, gone, withdrawn } = await page.evaluate(async () => {
    const url = "/library/folder-walk.js";
    const { changesIn, walk } = await import(url);
    const file = (name) => ({ kind: "file", name, getFile: async () => new File(["a"], name) });
    const locked = (name, why) => ({ kind: "file", name, getFile: () => Promise.reject(new DOMException("refused", why)) });
    const root = (...entries) => ({ kind: "directory", name: "docs", async *values() { yield* entries; } });
    const options = { name: "docs (2)", signal: new AbortController().signal, onFound() {} };
    const { found, refused } = await walk(root(file("a.md"), locked("b.md", "NotReadableError"), file("c.md")), options);
    const stamp = { size: 1, modified: 1 };
    return {
      paths: found.map(({ path }) => path),
      refused: refused.map(({ path }) => path),
      gone: changesIn({ "docs (2)/b.md": stamp, "docs (2)/b.mdx": stamp }, found, refused).gone,
      withdrawn: await walk(root(locked("b.md", "NotAllowedError")), options).catch(({ name }) => name),
    };
  });
  assert.deepEqual([paths, refused, gone], [["docs (2)/a.md", "docs (2)/c.md"], ["docs (2)/b.md"], ["docs (2)/b.mdx"]]);
  assert.equal(withdrawn, "NotAllowedError");
});

test("the next visit brings the folder up to date by itself", async () => {
  await write({ "four.md": "# Four\n\nWritten while the page was closed." });
  await page.reload();
  await page.waitForSelector("body[data-searchable]");
  await untilSaid(/^In sync: 1 file added or changed, 2 unchanged\.$/);
  assert.match(await textOf("notes/four.md"), /while the page was closed/);
});

test("a permission that was withdrawn is told, with a button to grant it again, and nothing is lost", async () => {
  await page.evaluate(() => localStorage.setItem("test.permission", "prompt"));
  await write({ "five.md": "# Five\n\nFifth." });
  await page.reload();
  await page.waitForSelector("body[data-searchable]");
  await untilSaid(/no longer lets the page read this folder/);
  assert.ok(await textOf("notes/four.md"));
  await demo.screenshot("library-withdrawn", { fullPage: true });
  await page.click('#folders button:has-text("Allow again")');
  await untilSaid(/^In sync: 1 file added or changed, 3 unchanged\.$/);
  assert.ok(await textOf("notes/five.md"));
});

test("a folder that was moved away loses no documents", async () => {
  await page.evaluate(async () => (await navigator.storage.getDirectory()).removeEntry("notes", { recursive: true }));
  await sync(/not there any more|could not be read/);
  assert.ok(await textOf("notes/four.md"));
  await page.click('#folders button:has-text("Stop keeping it in sync")');
  await page.waitForSelector("#folders li", { state: "detached" });
  await page.reload();
  await page.waitForSelector("body[data-searchable]");
  assert.equal(await page.locator("#folders li").count(), 0);
  assert.ok(await textOf("notes/four.md"));
});

test("text is added with a title by a dialog, and never replaces another text", async () => {
  await page.click("#paste-text");
  await page.click('#paste button[type="submit"]');
  assert.ok(await page.isVisible("#paste-notice"));
  await page.fill("#paste-body", "The bittern booms in the reeds at dusk.");
  await page.fill("#paste-title", "On bitterns / a note");
  await demo.screenshot("library-paste");
  await page.click('#paste button[type="submit"]');
  assert.deepEqual(await reports(page), ["On bitterns a note.md added: 1 passage."]);
  const { title, text } = await page.evaluate(() => vademecum.document("On bitterns a note.md"));
  assert.deepEqual([title, text], ["On bitterns / a note", "The bittern booms in the reeds at dusk."]);
  await page.click("#paste-text");
  await page.fill("#paste-body", "Another text.");
  await page.fill("#paste-title", "On bitterns / a note");
  await page.click('#paste button[type="submit"]');
  await page.waitForFunction(() => document.querySelector("#file-reports .reports > li")?.textContent === "On bitterns a note (2).md added: 1 passage.");
});

test("text and files are pasted anywhere on the Library tab", async () => {
  const paste = (given) =>
    page.evaluate(({ text, name }) => {
      const clipboardData = new DataTransfer();
      if (text) clipboardData.setData("text/plain", text);
      if (name) clipboardData.items.add(new File(["# Pasted\n\nA file."], name));
      document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    }, given);
  await paste({ text: "# Godwits\n\nThey fly far." });
  assert.equal(await page.inputValue("#paste-title"), "Godwits");
  assert.match(await page.inputValue("#paste-body"), /They fly far/);
  await page.click("#paste-cancel");
  // A picture beside the text of a table's cells is not what was meant.
  await paste({ text: "Curlews\tin the marsh", name: "image.png" });
  assert.match(await page.inputValue("#paste-body"), /Curlews/);
  await page.click("#paste-cancel");
  await paste({ text: "pasted.md", name: "pasted.md" });
  assert.deepEqual(await reports(page), ["pasted.md added: 1 passage."]);
  await demo.tab("ask");
  await paste({ text: "elsewhere" });
  assert.equal(await page.isVisible("#paste"), false);
  await demo.tab("library");
});

/** Returns a PDF of one page, which is a picture of these lines. */
async function scanOf(...lines) {
  const { bytes, width, height } = await pictureOf(page, lines, "image/jpeg");
  return picturePdf([{ jpeg: bytes, width, height }]);
}
const READ = '#file-reports button[aria-label^="Read the text in the picture: scans/"]';

test("a scan that was recognised while its folder was being read is not read again, and keeps its text when it was saved without a change", async () => {
  await page.evaluate(() => localStorage.setItem("test.folder", "scans"));
  const scan = await scanOf("The thrumble is a bell of", "the old harbour.");
  await write({ "bell.pdf": scan, "later/slow.md": "# Slow\n\nRead last." }, "scans");
  const letGo = await hold(page, "slow.md");
  await page.click("#sync-folder");
  await page.click(READ); // the job still reads the other file
  await letGo();
  const said = (pattern) => page.waitForFunction((source) => new RegExp(source).test([...document.querySelectorAll("#folders li")].find(({ textContent }) => textContent.startsWith("scans"))?.querySelector("p").textContent), pattern.source);
  const again = async (pattern) => {
    await page.click('#folders button[aria-label="Sync now: scans"]');
    await said(pattern);
  };
  await page.waitForFunction(() => /scans\/bell\.pdf added/.test(document.querySelector("#file-reports").textContent));
  await again(/^In sync: 2 unchanged\.$/);
  await write({ "bell.pdf": scan }, "scans"); // at another time
  await page.reload();
  await page.waitForSelector("body[data-searchable]");
  await said(/^In sync: 2 unchanged\.$/);
  assert.match(await textOf("scans/bell.pdf"), /thrumble/);
  // A changed one is recognised without another request.
  await write({ "bell.pdf": await scanOf("The thrumble is a bell of", "the new harbour, and it is loud.") }, "scans");
  await again(/^In sync: 1 file added or changed, 1 unchanged\.$/);
  assert.match(await textOf("scans/bell.pdf"), /new harbour/);
  await again(/^In sync: 2 unchanged\.$/);
  await page.click('#folders button[aria-label="Stop keeping in sync: scans"]');
  await page.evaluate(() => localStorage.removeItem("test.folder"));
});

test("a scan whose recognition was stopped or cut off by a reload is offered again at the next sync", async () => {
  await page.evaluate(() => localStorage.setItem("test.folder", "scans/cut"));
  const lines = Array.from({ length: 20 }, (_, at) => `Line ${at + 1} tells of the weather on that day.`);
  await write({ "cut.pdf": await scanOf("The dringle is a lamp.", ...lines), "kept.md": "# Kept" }, "scans/cut");
  const offer = page.locator('#file-reports button[aria-label="Read the text in the picture: cut/cut.pdf"]');
  await page.click("#sync-folder");
  await untilSaid(/^In sync: 1 file added or changed, 1 could not be added\.$/);
  await offer.click();
  await page.click('#file-reports button[aria-label="Cancel cut/cut.pdf"]');
  await page.waitForFunction(() => /cut\.pdf was not added: adding was stopped/.test(document.querySelector("#file-reports").textContent));
  await sync(/^In sync: 1 could not be added, 1 unchanged\.$/);
  await offer.click();
  await page.waitForFunction(() => /cut\.pdf: (downloading|recognising)/.test(document.querySelector("#file-reports").textContent));
  await sync(/^In sync: 2 unchanged\.$/); // it is still being read
  await page.reload();
  await page.waitForSelector("body[data-searchable]");
  await untilSaid(/^In sync: 1 could not be added, 1 unchanged\.$/);
  await offer.click();
  await page.waitForFunction(() => /cut\.pdf added/.test(document.querySelector("#file-reports").textContent));
  assert.match(await textOf("cut/cut.pdf"), /dringle/);
  await sync(/^In sync: 2 unchanged\.$/);
  await page.click('#folders button[aria-label="Stop keeping in sync: cut"]');
  await page.evaluate(() => localStorage.removeItem("test.folder"));
});

test("on a phone nothing overflows", async () => {
  for (const width of [320, 390]) {
    await page.setViewportSize({ width, height: 800 });
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, String(width));
    await demo.screenshot(`library-phone-${width}`, { fullPage: true });
    await page.click("#documents .title");
    await page.waitForSelector("#reader[open]");
    assert.ok(await page.locator("#reader .text").evaluate((text) => text.scrollWidth <= text.clientWidth));
    await demo.screenshot(`reader-phone-${width}`);
    await page.keyboard.press("Escape");
  }
  await page.setViewportSize({ width: 1280, height: 900 });
});

test("after everything was deleted, no folder is in sync any more", async () => {
  await write({ "six.md": "# Six\n\nSixth." });
  await page.click("#sync-folder");
  await untilSaid(/^In sync: 1 file added or changed\.$/);
  await page.click("#delete-all");
  await page.click('dialog.confirm button:has-text("Delete all")');
  await page.waitForSelector("#folders li", { state: "detached" });
  await page.waitForFunction(() => /deleted/.test(document.querySelector("#storage-told").textContent));
  await page.reload();
  await page.waitForSelector("body[data-searchable]");
  assert.equal(await page.locator("#folders li").count(), 0);
  assert.equal(await textOf("notes/six.md"), null);
});

test("no request left the origin, and the console shows no errors", () => {
  assert.deepEqual(demo.origins(), [ORIGIN]);
  assert.deepEqual(demo.complaints, []);
});
