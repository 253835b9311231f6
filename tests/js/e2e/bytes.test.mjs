// Documents as bytes, in every form that the types allow, from input to hit: in a worker and in place.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ORIGIN, startDemo } from "../support/demo.mjs";

const FORMS = {
  file: "finch",
  blob: "heron",
  buffer: "grebe",
  view: "stork",
  dataView: "crane",
  cut: "egret",
};
let demo;
let page;

before(async () => {
  demo = await startDemo();
  page = await demo.page.context().newPage();
  await page.goto(`${ORIGIN}/icon.svg`);
});
after(() => demo?.close());

for (const entry of ["index.js", "direct.js"]) {
  test(`a document's bytes as File, Blob, ArrayBuffer and views are read and found (${entry})`, async () => {
    const seen = await page.evaluate(
      async ([entry, forms]) => {
        const { KnowledgeBase } = await import(`/vademecum/${entry}`);
        const textOf = (name) => `# The ${forms[name]}\n\nGrüße: a ${forms[name]} was seen at dawn.\n`;
        const utf8 = (name) => new TextEncoder().encode(textOf(name));
        const longer = new Uint8Array([...new TextEncoder().encode("before it "), ...utf8("cut"), ...new TextEncoder().encode(" behind it")]);
        const bytes = {
          file: new File([textOf("file")], "file.md"),
          blob: new Blob([utf8("blob")]),
          buffer: utf8("buffer").buffer,
          view: utf8("view"),
          dataView: new DataView(utf8("dataView").buffer),
          cut: longer.subarray(10, longer.length - 10),
        };
        const kb = await KnowledgeBase.memory();
        const { documents } = await kb.add(Object.entries(bytes).map(([name, one]) => ({ id: `${name}.md`, bytes: one })));
        const found = {};
        for (const [name, bird] of Object.entries(forms)) {
          const { hits } = await kb.search(bird);
          const { text } = await kb.document("default", `${name}.md`);
          found[name] = [hits.map(({ docId }) => docId), hits[0]?.headings, text === textOf(name)];
        }
        const left = [bytes.buffer.byteLength, bytes.view.byteLength, bytes.file.size].every((size) => size > 0);
        const failed = (one) => kb.add({ id: "a", bytes: one }).then(() => null, ({ code, message }) => [code, message]);
        const wrong = [await failed([1, 2]), await failed(new Blob([Uint8Array.of(0x67, 0xfc, 0xdf)]))];
        await kb.close();
        return { documents, found, left, wrong };
      },
      [entry, FORMS],
    );
    assert.equal(seen.documents, Object.keys(FORMS).length);
    for (const [name, bird] of Object.entries(FORMS)) assert.deepEqual(seen.found[name], [[`${name}.md`], [`The ${bird}`], true], name);
    assert.ok(seen.left, "the caller's own bytes are left to the caller");
    const [[code, message], [inside]] = seen.wrong;
    assert.equal(code, "invalid_argument");
    assert.match(message, /`documents\[0\]\.bytes` must be a Uint8Array, an ArrayBuffer, a Blob or a File/);
    assert.equal(inside, "not_utf8");
  });
}
