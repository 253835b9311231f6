// The sections of the page about measurements in a browser.

import { bytes, factor, ms, number, sentence, spread, table } from "../format.mjs";

/** Returns the text of a section without figures. */
function missing(title, { skipped, failed }) {
  if (skipped) return `## ${title}\n\nNot measured: ${skipped}.`;
  if (failed) return `## ${title}\n\n${sentence("This comparison", failed)}`;
  return null;
}

const ROWS = {
  "one worker": "vademecum, one worker",
  "two workers": "vademecum, two workers",
  runtime: 'vademecum, one worker, `backend: "onnxruntime"`',
  bare: "onnxruntime-web alone",
  "two bare": "onnxruntime-web alone, two workers",
  "transformers.js": "transformers.js",
};

export function embedding(result) {
  if (!result) return null;
  const title = "Embedding";
  const none = missing(title, result);
  if (none) return none;
  const { passages, tokens, batches, engines, ratio, rounds } = result;
  return `## ${title}

${number(passages)} passages of the sample library with ${number(tokens)} tokens, by all-MiniLM-L6-v2 with 8-bit weights, in headless Chromium; ${rounds} rounds after one that is not
counted, all engines in turn on one page, each in workers of its own, with its model loaded. Ours is timed from the moment that keyword search covers
everything to the last vector in the index, including tokenising and indexing. Its kernel uses the instructions of \`${result.instructions}\` on this machine.
"onnxruntime-web alone" runs the same model on one thread, over ${number(batches)} prepared batches of token ids, and discards the results: the vectors
have a cosine of at least ${result.least.toFixed(4)} with ours. transformers.js, with its own build of the runtime, receives the passages in the same batches.

${table(
    ["engine", "all passages", "passages per second"],
    Object.entries(ROWS).map(([name, shown]) => [shown, ms(engines[name].ms), ((passages * 1000) / engines[name].ms).toFixed(1)]),
  )}

Two workers are ${spread(ratio.pool, 2)} as fast as one; two that share only a list of batches are ${spread(ratio.cores, 2)} as fast, which is the limit of this machine.
One worker is ${spread(ratio.bare, 2)} as fast as the bare runtime, ${spread(ratio.runtime, 2)} as fast as with \`backend: "onnxruntime"\`, and ${spread(ratio.transformers, 2)} as fast as
transformers.js. A question of twelve tokens is embedded and searched for in ${ms(result.question)}. The encoder is loaded ${ms(result.start)} after it was
asked for, from files that the browser has stored.`;
}

export function firstHit(result) {
  if (!result) return null;
  const title = "The first hit";
  const none = missing(title, result);
  if (none) return none;
  const { passages, engines, ratio, demo, rounds, wordsRounds = rounds } = result;
  return `## ${title}

The time from an empty cache to the frame that shows the first hit for "update a value in a hash map" on the sample library:
headless Chromium, a new context with empty caches each time, ${rounds} rounds after one that is not counted (${wordsRounds} of keywords alone), all files from one static server on the same
machine, so that downloads take hardly any time. Ours receives the documents as HTML, parses and chunks them, and shows the first keyword hit
while the model is loading. The peers receive the ${number(passages)} finished passages. All pages are bundled by esbuild, ours but for its workers, which the package contains as single files; ours names its modules in its head, as the package's guide recommends. Orama with transformers.js follows
its documentation: it loads the model (local files), embeds one passage after the other, inserts them, and searches by keywords and vectors.

${table(
    ["page", "first hit", "loaded by then"],
    Object.entries(engines).map(([name, one]) => [name, ms(one.ms), bytes(one.bytes)]),
  )}

Ours shows it ${spread(ratio.orama)} sooner than Orama with transformers.js. For keyword search alone, without a model, Orama is ${words(ratio.words)}.

The demo page: first paint after ${ms(demo.drawn)}, main thread free after ${ms(demo.interactive)} (blocked for ${ms(demo.blocked)} in total before that), delay of the first key press
${ms(demo.inputDelay)}; the model was loaded after ${ms(demo.model)}.`;
}

export function demoPage(result) {
  if (!result) return null;
  const title = "The demo page";
  const none = missing(title, result);
  if (none) return none;
  return `## ${title}

The release build of the page in headless Chromium, from a static server on the same machine; medians of ${result.rounds} rounds after one that is not counted, each in a new context with empty
caches. The first example is asked as soon as its button is there. A second visit has the library and the model. Then an HTML file of ${bytes(result.bytes)} is added, and while its passages are embedded
a question is typed, a key every ${result.betweenKeys} ms.

${table(
    ["from the beginning of", "to", "time"],
    [
      ["the first visit", "the field and the examples are drawn", ms(result.drawn)],
      ["the first visit", "the first hit by words is drawn", ms(result.firstHit)],
      ["the second visit", "the answer by meaning is complete", ms(result.meaning)],
      ...(result.answer === undefined ? [] : [["the step that answers, of 15 questions", "its sentences of ten passages are chosen by meaning", ms(result.answer)]]),
      ["adding the file", "its last paragraph is found", ms(result.html)],
      ["a key press", "the page handles it, at most", ms(result.typing)],
    ],
  )}`;
}

const words = (ratio) =>
  ratio.median >= 1 ? `${spread(ratio)} slower than ours` : `faster: ours takes ${factor(1 / ratio.median)} as long, mostly to start the module and its worker`;
