// The words of a query that are marked in excerpts.

import assert from "node:assert/strict";
import { test } from "node:test";
import { patternOf } from "../../../crates/web/js/elements/excerpt.js";

const marked = (query, text) => text.match(patternOf(query) ?? /$^/g) ?? [];

test("forms of the words are marked, and neither stop words nor other words that begin like them", () => {
  assert.deepEqual(marked("List all action items of the dog", "Actions are allowed, all dogs and their items are listed."), ["Actions", "dogs", "items", "listed"]);
  assert.deepEqual(marked("cat and owl at night", "Cats catch owls by night, and categories."), ["Cats", "owls", "night"]);
});

test("the last word may be unfinished, and a query of one word may be any word", () => {
  assert.deepEqual(marked("soft nig", "Soft nights"), ["Soft", "nights"]);
  assert.deepEqual(marked("the", "The moon and their sea"), ["The", "their"]);
  assert.deepEqual(marked("检索增 方法", "检索增强"), ["检索增强"], "words without spaces between them have no endings");
  assert.deepEqual(marked("?", "The moon"), []);
});
