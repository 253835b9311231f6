// Which questions the page takes for follow-ups.

import assert from "node:assert/strict";
import { test } from "node:test";
import { isFollowUp } from "../../../www/ask/follow-up.js";

test("questions that begin with a conjunction, or are one question word, follow the answer before them", () => {
  for (const text of ["And in March?", "And, in March?", "and why?", "how about April", "  but who pays it?", "Why?", "why not", "how much?!", "What about Ines?", "Und wann kommt das Salz rein?", "Warum nicht?", "wie lange?"]) {
    assert.equal(isFollowUp(text), true, text);
  }
});

test("other questions are new ones", () => {
  for (const text of ["Why is the sky blue?", "How much is the rent?", "Android settings", "And", "What about the policy for guests?", "What about?", "butter", "What is the rent, and who pays it?", "Undine", "when is rent due", "Wo ist der Schlüssel?", "?", ""]) {
    assert.equal(isFollowUp(text), false, text);
  }
});
