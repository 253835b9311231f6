// What was measured in a browser, as sections of the page.

import { bytes, factor, ms, number, sentence, spread, table } from "../format.mjs";

/** What a section says where it has no numbers. */
function missing(title, { skipped, failed }) {
  if (skipped) return `## ${title}\n\nNot measured: ${skipped}.`;
  if (failed) return `## ${title}\n\n${sentence("This comparison", failed)}`;
  return null;
}

const ROWS = {
  "one worker": "vademecum, one worker",
  "two workers": "vademecum, two workers",
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

Of the sample library ${number(passages)} passages with ${number(tokens)} tokens, by all-MiniLM-L6-v2 in 8-bit weights, in headless Chromium; ${rounds} rounds after one that is not
counted, all engines on one page by turns, each in workers of its own, with its model loaded. Ours is timed from the moment that words find
everything to the last vector in the index, tokenising and filing included. "onnxruntime-web alone" runs the very files that ours loads, on one
thread, over the same ${number(batches)} batches of token ids, made beforehand, and does nothing with what comes out: the vectors in both are the same
(they differ by ${result.apart.toExponential(0)} at most). transformers.js, with its own build of the runtime, is given the passages in the same calls.

${table(
    ["engine", "all passages", "passages a second"],
    Object.entries(ROWS).map(([name, shown]) => [shown, ms(engines[name].ms), ((passages * 1000) / engines[name].ms).toFixed(1)]),
  )}

Two workers are ${spread(ratio.pool, 2)} as fast as one; two that share nothing but a list of batches are ${spread(ratio.cores, 2)}, which is what this machine gives.
One worker takes ${spread(ratio.slower, 2)} the time of the bare runtime, and is ${spread(ratio.transformers, 2)} as fast as transformers.js.`;
}

export function firstHit(result) {
  if (!result) return null;
  const title = "The first hit";
  const none = missing(title, result);
  if (none) return none;
  const { passages, engines, ratio, demo, rounds } = result;
  return `## ${title}

A page that loads everything from nothing, up to the frame that shows its first hit for "update a value in a hash map" on the sample library:
headless Chromium, a fresh context with empty caches each time, ${rounds} rounds after one that is not counted, all files from one static server on the same
machine, so that what is loaded costs hardly any time. Ours gets the documents as HTML, reads them and cuts them, and shows the first hit by words
while the model is on its way. The peers get the ${number(passages)} passages ready cut; their pages are bundled by esbuild. Orama with transformers.js does
what its users write: it loads the model (local files), embeds one passage after the other, inserts them, and asks by words and vectors.

${table(
    ["page", "first hit", "loaded until then"],
    Object.entries(engines).map(([name, one]) => [name, ms(one.ms), bytes(one.bytes)]),
  )}

Ours shows it ${spread(ratio.orama)} sooner than Orama with transformers.js. By words alone, without any model, Orama is ${words(ratio.words)}.

The demo page: drawn after ${ms(demo.drawn)}, its main thread free from ${ms(demo.interactive)} on (blocked for ${ms(demo.blocked)} in all before that), a first key press waited
${ms(demo.inputDelay)}; the model was there after ${ms(demo.model)}.`;
}

const words = (ratio) =>
  ratio.median >= 1 ? `${spread(ratio)} slower than ours` : `faster: ours takes ${factor(1 / ratio.median)} as long, most of it to start the module and its worker`;
