// The words of a query that are marked in excerpts.

import assert from "node:assert/strict";
import { test } from "node:test";
import { patternOf } from "../../../crates/web/js/elements/excerpt.js";

const marked = (query, text) => text.match(patternOf(query) ?? /$^/g) ?? [];

test("forms of the words are marked, and neither stop words nor other words that begin like them", () => {
  assert.deepEqual(marked("List all action items of the dog", "Actions are allowed, all dogs and their items are listed."), ["Actions", "dogs", "items", "listed"]);
  assert.deepEqual(marked("cat and owl at night", "Cats catch owls by night, and categories."), ["Cats", "owls", "night"]);
});

test("short words have their endings, also with a doubled letter", () => {
  assert.deepEqual(marked("Why stop the pass for the haus or work?", "Stopped, passes, Hauses, workers, passage, stopover."), ["Stopped", "passes", "Hauses", "workers"]);
  assert.deepEqual(marked("Who fed the cat?", "Cats of a category."), ["Cats"], "the last word of a question is finished");
  assert.deepEqual(marked("100 dogs", "1000 dogs or 100"), ["dogs", "100"]);
});

test("the last word may be unfinished, and a query of one word may be any word", () => {
  assert.deepEqual(marked("soft nig", "Soft nights"), ["Soft", "nights"]);
  assert.deepEqual(marked("the", "The moon and their sea"), ["The", "their"]);
  assert.deepEqual(marked("检索增 方法", "检索增强"), ["检索增强"], "words without spaces between them have no endings");
  assert.deepEqual(marked("?", "The moon"), []);
});
