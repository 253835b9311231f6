// Links in answers: the package sanitizes an LLM's reply, and three Markdown renderers render it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { FORMS, PLACINGS } from "../support/address-forms.mjs";
import { leads, RENDERERS } from "../support/leads.mjs";

const { Agent, KnowledgeBase } = await import("../../../target/site/vademecum/direct.js");

const ALLOWED = "https://docs.example/a";

/** Creates a library that contains one URL, and an agent whose LLM replies with a given text. */
async function answering() {
  const kb = await KnowledgeBase.memory();
  await kb.add([{ id: "a.md", text: `The notice is 30 days, see ${ALLOWED} for it.` }]);
  let said = "";
  const agent = new Agent(kb, { llm: () => said });
  return async (text) => {
    said = text;
    const run = agent.pipeline("What is the notice?").search().answer().run();
    let tokens = "";
    for await (const event of run) if (event.type === "token") tokens += event.text;
    const { answer, answeredBy, unsupported } = await run.result;
    if (answeredBy !== "llm" && !unsupported) return { answer: "", tokens: "" };
    // Where no passage supports the model's text, the answer is none, and the text is beside it.
    return { answer: [answer, unsupported].filter(Boolean).join("\n\n"), tokens };
  };
}

/** Number of generated answers. `PROPTEST_CASES` scales this test like the native property tests, whose default is 256 cases. */
const ROUNDS = Math.ceil((1_500 * (Number(process.env.PROPTEST_CASES) || 256)) / 256);

/** Returns a seeded generator of pseudorandom numbers. */
function random(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >> 8) % below;
  };
}

const PIECES = [
  ..."()[]<>!`\\|\"':&@*_#\t", "](", "]:", "]: ", "[q]", "[q]: ", "[^1]: ", "![", "```\n", "~~~\n", "\n", "\n\n", " ", "    ", "b", "img onerror=x", "https://", "//", "evil.test/x",
  "9.9.9.9/x", "www.", ".com", ALLOWED, "javascript:", "mailto:", "tel:", "&#58;", "&colon;", "&sol;", "%3A", "- ", "> ", "1. ", "1", "\u200B", "é", "T", "/x", "a@b.com", "http:/e", "[1]", "evil.com", "^[",
];

function astray(text) {
  return Object.entries(RENDERERS).flatMap(([name, render]) => leads(render(text)).filter((one) => one !== ALLOWED).map((one) => `${name}: ${one}`));
}

test("the renderers make links of unsanitised text, so that the tests would see them", () => {
  const found = FORMS.map((form) => Object.values(PLACINGS).some((place) => astray(place(form)).length > 0));
  assert.ok(found.filter(Boolean).length > 0.9 * FORMS.length);
});

test("for every form and position of an address, no renderer links to it", { timeout: 900_000 }, async () => {
  const ask = await answering();
  const wrong = [];
  for (const form of FORMS) {
    for (const [name, place] of Object.entries(PLACINGS)) {
      const { answer, tokens } = await ask(place(form));
      // A quotation may come first, and sources that the model did not name are added.
      const bare = (text) => text.replaceAll("[1]", "").replace(/\s+/g, " ").trim();
      assert.ok(bare(answer).endsWith(bare(tokens)), `${name}: ${form}`);
      const found = astray(answer);
      if (found.length > 0) wrong.push({ name, form, answer, found });
    }
  }
  assert.deepEqual(wrong, []);
});

test("random pieces of Markdown never make a link outside the evidence", { timeout: 900_000 }, async () => {
  const ask = await answering();
  const below = random(42);
  let kept = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const said = Array.from({ length: 1 + below(24) }, () => PIECES[below(PIECES.length)]).join("");
    const { answer } = await ask(said);
    assert.deepEqual(astray(answer), [], JSON.stringify({ said, answer }));
    kept += answer.includes(ALLOWED) ? 1 : 0;
  }
  assert.ok(kept > ROUNDS / 60, `${kept} of ${ROUNDS} answers keep the address of the evidence`);
});
