// Answers of the demo page without their citations.

import assert from "node:assert/strict";
import { test } from "node:test";
import { uncited } from "../../../www/ask/uncited.js";

const placeOf = (answer, mark) => ({ at: { start: answer.indexOf(mark), end: answer.indexOf(mark) + mark.length } });

test("citations are cut where they are, and indices in code stay", () => {
  const question = "How is it read?";
  const answer = "Use `list [0]` and a[1] [2][3]. So it is [notes.md].";
  const citations = ["[notes.md]", "[3]", "[2]", "[2]"].map((mark) => placeOf(answer, mark));
  assert.equal(uncited({ question, answer }, [{ question, answer, citations }]), "Use `list [0]` and a[1]. So it is.");
});

test("an answer without known citations stays as it is", () => {
  const turn = { question: "What?", answer: "A [1] b." };
  assert.equal(uncited(turn, []), turn.answer);
  assert.equal(uncited(turn, [{ ...turn, answer: "Another [1].", citations: [placeOf("Another [1].", "[1]")] }]), turn.answer);
});
