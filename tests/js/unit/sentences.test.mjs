// What the demo says of errors: nothing that only a program could do, and with the same facts.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { sentenceOf } from "../../../www/sentences.js";

const say = (code, message, file) => sentenceOf({ code, message }, { file });

test("errors that name a call or an option of the package are told as what a person can do, with their facts", () => {
  for (const [code, message, expected, file] of [
    ["document_too_large", "Document `a.md` has 17000000 bytes of text; the limit is 16777216. Split it into parts, or raise `maxDocumentBytes`.", "It has 17 MB of text; up to 16 MB can be added. Split it into parts.", "a.md"],
    ["embedder_mismatch", "The library's vectors were made by the embedder `b`, not by `a`. Open it with that embedder, or with `{ reembed: true }` to make its vectors anew.", "old.vdm was made with another search model, b; this page has a. Nothing was changed. Add the documents themselves.", "old.vdm"],
    ["library_corrupt", "The library's file `the file` is damaged: it is cut short. Nothing was changed. Import a copy you exported, or delete the library and add its documents again.", "a.vdm is damaged: it is cut short. Nothing was changed. Export the library again where it is.", "a.vdm"],
    ["library_newer", "The library has format 3, and this version of Vademecum reads up to 1. Nothing was changed. Update the package to open it.", "a.vdm was written by a later version of this page (format 3; this one reads up to 1). Nothing was changed. Reload the page, then try again.", "a.vdm"],
    ["storage_full", "The browser's storage is full: 1.2 MB were to be written. Remove documents, free disk space, or ask the browser for more with `persist()`.", "The browser's storage is full: 1.2 MB were to be written. Remove documents, free disk space, or ask the browser, under Storage, to keep the library."],
    ["unknown_collection", 'There is no collection `x`. Declare it first with `collection("x")`; there are: `default`.', "There is no collection “x” any more. Choose another one."],
    ["metadata_type", "Document `t.csv#4`: the metadata field `year` is declared as number, but holds \"soon\". Mend the value, or declare another type; nothing was added.", 'Record 4 was refused: in this collection the field “year” has to be a number, but it holds "soon". Mend the value, or add the file to another collection.', "t.csv"],
    ["closed", "This KnowledgeBase is closed. Open it again with `KnowledgeBase.open(…)` or `KnowledgeBase.memory()`.", "The library was closed. Reload this page."],
    ["worker_failed", "The engine worker failed: Uncaught RuntimeError: unreachable.", "The search engine of this page crashed at this, and is started again by itself: try it once more. (The engine worker failed: Uncaught RuntimeError: unreachable.)"],
    ["worker_failed", "The engine worker failed: unreachable. It failed 3 times within a minute and is not started again. What was saved is kept: close this KnowledgeBase and open the library anew.", "The search engine of this page crashed again and again, and has stopped. What was saved is kept. Reload the page to start it."],
    ["module_unavailable", "The wasm module could not be loaded from http://a.test/b.wasm: Failed to fetch. Check that the file is served there, and that a content security policy has 'wasm-unsafe-eval' in its script-src.", "A part of this page could not be loaded from http://a.test/b.wasm: Failed to fetch. See whether you are online, and try again."],
    ["empty_document", "Document `other.md` is empty: at least one letter or digit is needed. Leave it out, or check how it was read.", "“other.md” is empty: it holds no letter and no digit."],
  ]) {
    assert.equal(say(code, message, file), expected);
    assert.doesNotMatch(expected, /`/);
  }
});

test("what is not known, or says something else than it did, is told as it is", () => {
  assert.equal(sentenceOf(new Error("Anything.")), "Anything.");
  for (const code of ["document_too_large", "metadata_type", "not_utf8", "library_newer", "embedder_mismatch", "constructor"]) assert.equal(say(code, "Something else."), "Something else.");
});

test("the sentences that are translated are those that the package has", () => {
  const rust = readFileSync(new URL("../../../crates/protocol/src/error/mod.rs", import.meta.url), "utf8");
  for (const part of ["bytes of text; the limit is", "is declared as {expected}, but holds {got}. Mend", "is not UTF-8: byte {offset} cannot be read{hint}.", "by the embedder `{found}`, not by `{expected}`", "has format {found}, and this version of Vademecum reads up to {known}", "is damaged: {reason}. Nothing was changed", "occurs more than once"]) assert.ok(rust.includes(part), part);
  const storage = readFileSync(new URL("../../../crates/web/js/storage/errors.js", import.meta.url), "utf8");
  assert.ok(storage.includes("or ask the browser for more with \\`persist()\\`."));
});
