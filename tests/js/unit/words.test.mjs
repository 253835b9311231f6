// Checks the German catalogue: each text has a translation, each translation is used, and both insert the same values.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { piecesOfPage, scripts, textsOf } from "../support/page-texts.mjs";
import * as ask from "../../../www/words/de/ask.js";
import * as engine from "../../../www/words/de/engine.js";
import * as library from "../../../www/words/de/library.js";
import * as page from "../../../www/words/de/page.js";
import * as shell from "../../../www/words/de/shell.js";
import * as tabs from "../../../www/words/de/tabs.js";
import { AS_IT_IS, hasSentence } from "../../../www/sentences.js";
import { decimal, number, plural, size } from "../../../www/format.js";
import { errorOf, nounOf, phrased, speak, t, worded } from "../../../www/words.js";

const PARTS = { page, shell, ask, library, tabs };
const WORDS = Object.assign({}, ...Object.values(PARTS).map(({ words }) => words));
/** Names and examples that are the same in all languages. */
const NAMES = ["Vademecum", "http://localhost:11434/v1", "llama3.2"];
/** Scripts whose sentences are for documents in English, or have a German sentence by the code of their error. */
const ENGLISH = [/^library\/suggestions/, /^library\/readers\/(character-maps|pdf|index|large-table)/];
const used = scripts().flatMap((name) => textsOf(name).used.map((text) => ({ name, text })));

test("every text of the scripts has a German one", () => {
  assert.ok(used.length > 700, String(used.length));
  assert.deepEqual(used.filter(({ text }) => !Object.hasOwn(WORDS, text)).map(({ name, text }) => `${name}: ${text}`), []);
});

test("every text of index.html has a German one", () => {
  const pieces = piecesOfPage();
  assert.ok(pieces.length > 200, String(pieces.length));
  assert.deepEqual(pieces.filter((text) => !Object.hasOwn(page.words, text) && !Object.hasOwn(WORDS, text) && !NAMES.includes(text)), []);
});

test("every German text is used, and defined once", () => {
  const known = new Set([...used.map(({ text }) => text), ...piecesOfPage(), ...languages()]);
  assert.deepEqual(Object.keys(WORDS).filter((text) => !known.has(text)), []);
  const all = Object.values(PARTS).flatMap(({ words }) => Object.keys(words));
  assert.deepEqual(all.filter((text, at) => all.indexOf(text) !== at), []);
});

/** The languages of documents, which the library names. */
const languages = () => piecesOfPage().filter((text) => /^[A-Z][a-z]+$/.test(text));

test("a German text inserts what the English one does", () => {
  const places = (text) => [...new Set(text.match(/\{\d\}/g) ?? [])].sort().join();
  for (const [english, german] of Object.entries(WORDS)) assert.equal(places(german), places(english), english);
});

test("nouns behind numbers have both German forms", () => {
  const nouns = new Set(scripts().flatMap((name) => textsOf(name).nouns));
  assert.ok(nouns.size > 10, String(nouns.size));
  const computed = ["search", "call"]; // of the timeline
  assert.deepEqual([...nouns].filter((noun) => !Object.hasOwn(shell.nouns, noun)), []);
  assert.deepEqual(Object.keys(shell.nouns).filter((noun) => !nouns.has(noun) && !computed.includes(noun)), []);
});

test("no sentence for users is left out of the catalogue", () => {
  const isSentence = (text) => /^[“\p{Lu}{].*\p{L}.* .*\p{L}.*[.…?!]”?$/su.test(text.trim());
  const left = scripts().filter((name) => !ENGLISH.some((one) => one.test(name))).flatMap((name) => textsOf(name).others.filter(isSentence).map((text) => `${name}: ${text}`));
  assert.deepEqual(left.filter((text) => !Object.keys(engine.reasons).some((reason) => text.endsWith(reason))), []);
});

/** The sources of what the package says in English. */
const RUST = ["agent", "files", "grounding", "protocol"].flatMap((name) => {
  const folder = new URL(`../../../crates/${name}/src/`, import.meta.url);
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".rs")).map((file) => readFileSync(new URL(file, folder), "utf8"));
}).join("\n");

test("the phrases of the package are its own, and are inserted into the German ones", () => {
  const composed = /^(the passages hold|this is|There are|I found|Search without|List the|Planned|in the library|Yes|No|1|kept|Its front matter)\b/; // of parts in several places of the sources
  const parts = (text) => text.split(/\{\d\}/).map((part) => part.trim()).filter((part) => part.length > 9);
  assert.ok(Object.keys(engine.phrases).length > 90);
  assert.ok(RUST.includes('"the library"'), "it is inserted behind “in”");
  assert.deepEqual(Object.keys(engine.phrases).filter((text) => !composed.test(text) && parts(text).some((part) => !RUST.includes(part))), []);
  const places = (text) => new Set([...text.matchAll(/[{<](\d)[}>]/g)].map(([, at]) => at));
  const isBareGroup = (text) => text.startsWith("There is no {0} of"); // German says no aggregate of no values
  assert.deepEqual(Object.entries(engine.phrases).filter(([english, german]) => !isBareGroup(english) && [...places(english)].sort().join() !== [...places(german)].sort().join()), []);
});

test("the reasons of the agent are its own, word for word", () => {
  assert.deepEqual(Object.keys(engine.reasons).filter((text) => !RUST.includes(`"${text}"`)), []);
  const readers = ["file_unsupported"]; // of the page's own readers
  assert.deepEqual(Object.keys(engine.errors).filter((code) => !AS_IT_IS.includes(code) && !hasSentence(code) && !readers.includes(code)), []);
});

test("without a catalogue texts stay as they are, and with one they change, with spaces around them and what is inserted", () => {
  const [name, count] = ["{1}", 1];
  assert.equal(t`${name} was not added. ${"$&"}`, "{1} was not added. $&");
  assert.equal(plural(1, "passage"), "1 passage");
  assert.equal(plural(1200, "search"), "1,200 searches");
  assert.equal(decimal(0.8, 2), "0.80");
  assert.equal(errorOf("offline"), null);
  assert.equal(phrased("found 1 chunk in 2 searches of notes"), "found 1 chunk in 2 searches of notes");
  speak("de", [page, shell, ask, library, tabs, engine]);
  assert.equal(t`${name} was not added. ${"$&"}`, "{1} wurde nicht hinzugefügt. $&");
  assert.equal(t(" and "), " und ");
  assert.equal(t`${"a"}–${"b"} of ${"c"}`, "a–b von c");
  assert.equal(t("What no catalogue has"), "What no catalogue has");
  assert.equal(plural(count, "passage"), "1 Textstelle");
  assert.equal(plural(1200, "passage"), "1.200 Textstellen");
  assert.equal(nounOf(2, "unknown"), "unknowns");
  assert.equal(number(12345), "12.345");
  assert.equal(size(8500), "8,5 KB");
  assert.equal(worded("Nothing in the documents answers this question. And more."), "In den Dokumenten steht keine Antwort auf diese Frage. And more.");
  assert.equal(phrased("found 1 chunk in 2 searches of notes"), "1 Textstelle gefunden mit 2 Suchen in notes");
  assert.equal(phrased("quoted from 1 of 3 passages, with 0 citations"), "zitiert aus 1 von 3 Textstellen, mit 0 Quellenangaben");
  assert.equal(phrased("The sum of net: amount is 30.75, over the 2 documents in a.csv with supplier sum."), "Summe von net: amount: 30.75, über 2 Dokumente in a.csv mit supplier sum.", "names stay as they are");
  assert.equal(phrased("Sum of amount by paid by, the greatest first, in till.csv with paid by Jo or Al:"), "Summe von amount je paid by, der größte Wert zuerst, in till.csv mit paid by Jo or Al:");
  assert.equal(phrased("There are 2 documents in the library with year = 2024."), "Es gibt 2 Dokumente in der Bibliothek mit year = 2024.");
  assert.equal(phrased("Number of rows by shop, the least first, in till.csv:"), "Anzahl der Zeilen je shop, die kleinste zuerst, in till.csv:");
  assert.equal(phrased("Sheet “A, b”: In 2 of its rows, cells beyond the 3 named columns were left out."), "Blatt „A, b“: In 2 ihrer Zeilen sind Zellen hinter den 3 benannten Spalten weggelassen.");
  assert.equal(phrased("It failed. Instead: the answer as it was."), "It failed. Stattdessen: die Antwort, wie sie war.");
  assert.equal(phrased("A model's own words."), "A model's own words.");
  assert.match(errorOf("offline"), /Verbindung/);
});
