// The demo's messages for errors: they contain the facts of the error, and only actions that a user of the page can take.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { AS_IT_IS, hasSentence, sentenceOf } from "../../../www/sentences.js";

const say = (code, message, file) => sentenceOf({ code, message }, { file });

test("errors that refer to the package's API are translated to what a person can do, with their facts", () => {
  for (const [code, message, expected, file] of [
    ["document_too_large", "Document `a.md` has 17000000 bytes of text; the limit is 16777216. Split it into parts, or raise `maxDocumentBytes`.", "It has 17 MB of text; up to 16 MB can be added. Split it into parts.", "a.md"],
    ["embedder_mismatch", "The library's vectors were made by the embedder `b`, not by `a`. Open it with that embedder, or with `{ reembed: true }` to compute its vectors again.", "old.vdm was made with another search model, b; this page has a. Nothing was changed. Add the documents themselves.", "old.vdm"],
    ["library_corrupt", "The library's file `the file` is damaged: it is cut short. Nothing was changed. Import a copy you exported, or delete the library and add its documents again.", "a.vdm is damaged: it is cut short. Nothing was changed. Export the library again.", "a.vdm"],
    ["library_corrupt", "The library's file `manifest-0` is damaged: it is missing. Nothing was changed. `open` and `import` with `{ salvage: true }` read what is intact.", "The library in this browser is damaged (its file manifest-0: it is missing). Nothing was changed."],
    ["model_unavailable", "The model could not be loaded from http://a.test/model.onnx: HTTP 404. Check that the file is served there.", "A part of the search model is missing: The model could not be loaded from http://a.test/model.onnx: HTTP 404. Check whether you are online, and try again."],
    ["model_unavailable", "How the model is pooled could not be read from http://a.test/c.json: HTTP 503. Try again, or name the option `pooling`.", "A part of the search model is missing: How the model is pooled could not be read from http://a.test/c.json: HTTP 503. Check whether you are online, and try again."],
    ["model_corrupt", "The model at http://a.test/m.onnx is not usable: cut. Fetch it again; a cut or wrong file is the usual cause.", "The search model at http://a.test/m.onnx cannot be used: cut. The download may be incomplete: reload the page to fetch it again."],
    ["model_unfit", "The model at http://a.test/m.onnx does not fit its options: its vector is another. Name another model, or the options it was trained for.", "The search model at http://a.test/m.onnx is not the one that this page was made for: its vector is another. The operator of this page has to correct this."],
    ["tokenizer_mismatch", "The tokenizer does not belong to the model: it has no id 7. Use the tokenizer.json that was published with the model.", "The parts of the search model do not match: it has no id 7. The operator of this page has to correct this."],
    ["conversation_corrupt", "The conversation “main” cannot be read: it is cut. Nothing was changed. Begin it anew with its `clear()`, or delete it with `kb.deleteConversation(name)`.", "The stored conversation cannot be read: it is cut. Nothing was changed. “New conversation” starts another one."],
    ["storage_unavailable", "This browser gives the page no storage (opfs: denied). Private windows and insecure pages may have none: use `KnowledgeBase.memory()`, which keeps nothing.", "This browser does not allow the page to store anything (opfs: denied), as in some private windows. What you add is lost once the page is closed."],
    ["unknown_field", "There is no metadata field `year`. There are: none.", "No document has the field “year” any more. Clear the filter, or choose another one."],
    ["llm_http", "The LLM endpoint answered HTTP 500: out of memory. The server failed; ask again, or look at its log.", "The server of the language model answered HTTP 500: out of memory. The server failed; ask again, or look at its log."],
    ["llm_failed", "The LLM callback failed: Nobody is there.", "Nobody is there."],
    ["llm_cut_off", "The LLM's reply was cut off by the endpoint (length). Raise the endpoint's limit of tokens, or ask for less.", "The server of the language model cut off its reply (length). Raise its token limit, or ask for less."],
    ["budget_exhausted", "The budget of `llmCalls` is used up. Raise it, or leave out a step.", "The budget ran out (model calls). Allow more under Options, or ask for less."],
    ["library_newer", "The library has format 3, and this version of Vademecum reads up to 1. Nothing was changed. Update the package to open it.", "a.vdm was written by a later version of this page (format 3; this one reads up to 1). Nothing was changed. Reload the page, then try again.", "a.vdm"],
    ["library_too_large", "With these documents the library would take about 1210.4 MB of memory (without its texts, which stay on the disk), and `maxMemory` is 1073.7 MB. None was added. Raise `maxMemory`, remove documents, or build the library in advance and attach it with `keep`.", "The library would need 1,210 MB of memory, and this page takes 1,074 MB at most on this device. Nothing was added. Remove documents, then try again."],
    ["storage_full", "The browser's storage is full: 1.2 MB were to be written. Remove documents, free disk space, or ask the browser for more with `persist()`.", "The browser's storage is full: 1.2 MB were to be written. Remove documents, free disk space, or ask the browser, under Storage, to keep the library."],
    ["unknown_collection", 'There is no collection `x`. Declare it first with `collection("x")`; there are: `default`.', "There is no collection “x” any more. Choose another one."],
    ["metadata_type", "Document `t.csv#4`: the metadata field `year` is declared as number, but holds \"soon\". Mend the value, or declare another type; nothing was added.", 'Record 4 was refused: in this collection the field “year” has to be a number, but it is "soon". Correct the value, or add the file to another collection.', "t.csv"],
    ["closed", "This KnowledgeBase is closed. Open it again with `KnowledgeBase.open(…)` or `KnowledgeBase.memory()`.", "The library was closed. Reload this page."],
    ["worker_failed", "The engine worker failed: Uncaught RuntimeError: unreachable.", "The page’s search engine crashed, and restarts automatically: try again. (The engine worker failed: Uncaught RuntimeError: unreachable.)"],
    ["worker_failed", "The engine worker failed: unreachable. It failed 3 times within a minute and is not started again. What was saved is kept: close this KnowledgeBase and open the library anew.", "The page’s search engine crashed repeatedly, and has stopped. Saved data is kept. Reload the page to start it."],
    ["llm_http", "The LLM endpoint answered HTTP 401: Incorrect API key provided: sk-wrong.. Check the API key.", "The server of the language model answered HTTP 401: Incorrect API key provided: sk-wrong. Check the API key."],
    ["module_unavailable", "The wasm module could not be loaded from http://a.test/b.wasm: Failed to fetch. Check that the file is served there, and that a content security policy has 'wasm-unsafe-eval' in its script-src.", "A part of this page could not be loaded from http://a.test/b.wasm: Failed to fetch. Check whether you are online, and try again."],
    ["unsupported", "This browser has no SIMD instructions of WebAssembly, which vademecum-encoder_bg.wasm needs. Chrome 103, Firefox 114, Safari 16.4 and later ones have them, on processors of the last 15 years.", "Search by meaning needs instructions (SIMD) that this browser lacks. Chrome, Edge and Firefox have them, and Safari from version 16.4."],
    ["empty_document", "Document `other.md` is empty: at least one letter or digit is needed. Leave it out, or check how it was read.", "“other.md” is empty: it contains no letters or digits."],
  ]) {
    assert.equal(say(code, message, file), expected);
    assert.doesNotMatch(expected, /`/);
  }
});

test("unknown errors, and messages of another form, are shown unchanged", () => {
  assert.equal(sentenceOf(new Error("Anything.")), "Anything.");
  for (const code of ["document_too_large", "metadata_type", "not_utf8", "library_newer", "model_unfit", "llm_reply", "tokenizer_invalid", "unknown_document", "embedder_mismatch", "constructor"]) assert.equal(say(code, "Something else."), "Something else.");
});

test("the translated sentences are those of the package", () => {
  const read = (file) => readFileSync(new URL(`../../../crates/${file}`, import.meta.url), "utf8");
  const rust = read("protocol/src/error/mod.rs") + read("encoder/src/errors.rs");
  for (const part of ["bytes of text; the limit is", "is declared as {expected}, but holds {got}. Mend", "is not UTF-8: byte {offset} cannot be read{hint}.", "by the embedder `{found}`, not by `{expected}`", "has format {found}, and this version of Vademecum reads up to {known}", "is damaged: {reason}. Nothing was changed", "occurs more than once", "does not fit its options: {reason}. Name", "is not usable: {reason}. Fetch", "is not a tokenizer.json: {reason}.", "does not belong to the model: {reason}. Use", "could not be loaded from {url}: {}. Check", "The LLM endpoint answered", "The LLM callback failed: ", "was cut off by the endpoint ({reason})", "could not be used: expected {expected}, got {got}. Check", "The budget of `{limit}`", "The embedder failed: ", "no metadata field `{field}`", "no document `{id}`"]) assert.ok(rust.includes(part), part);
  const storage = readFileSync(new URL("../../../crates/web/js/storage/errors.js", import.meta.url), "utf8");
  assert.ok(storage.includes("or ask the browser for more with \\`persist()\\`."));
});

test("every error code has a sentence here, or is deliberately shown unchanged", () => {
  const types = readFileSync(new URL("../../../crates/web/js/generated/error-codes.d.ts", import.meta.url), "utf8");
  const codes = [...types.matchAll(/^ {2}\| "(\w+)"/gm)].map(([, code]) => code);
  assert.ok(codes.length > 45);
  assert.deepEqual(codes.filter((code) => hasSentence(code) === AS_IT_IS.includes(code)), []);
  assert.deepEqual(AS_IT_IS.filter((code) => !codes.includes(code)), []);
  const rust = readFileSync(new URL("../../../crates/protocol/src/error/code.rs", import.meta.url), "utf8").split("#[cfg(test)]")[0].replaceAll(/#\[cfg\(.*\)\]/g, "");
  assert.deepEqual([...rust.matchAll(/"([a-z0-9_]+)"/g)].map(([, code]) => code).filter((code) => !codes.includes(code)), [], "the types know every code of the crate");
});
