// From an empty cache to the first hit on the sample library, each time in a fresh browser context: the package against Orama
// with transformers.js, and both by words alone. Then, when the demo page can be used. Prints one JSON object.
//   node first-hit.mjs '{"module": "…/site/vademecum", "rounds": 5}'

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { startBrowser } from "./browser/browser.mjs";
import { usable } from "./browser/usable.mjs";
import { median, ratio, turns } from "./measure.mjs";
import { ownModule } from "./own.mjs";

const PAGES = {
  vademecum: "/hit-vademecum.html",
  "vademecum, keywords alone": "/hit-vademecum-words.html",
  "@orama/orama + transformers.js": "/hit-orama.html",
  "@orama/orama, keywords alone": "/hit-orama-words.html",
};
const NAMES = Object.keys(PAGES);
/** Rounds without a model take a second, those with one a minute. */
const MORE = 3;

const options = JSON.parse(process.argv[2]);
const site = path.dirname(path.resolve(options.module));
const load = os.loadavg()[0];
const cut = (await passages(site)).slice(0, options.passages);
const browser = await startBrowser(site, { "/passages.json": JSON.stringify(cut) });
const found = {};
const [OURS, OUR_WORDS, ORAMA, ORAMA_WORDS] = NAMES;
const times = { ...(await timed([OURS, ORAMA], options.rounds)), ...(await timed([OUR_WORDS, ORAMA_WORDS], MORE * options.rounds)) };
const demo = await turns([() => usable(browser, "/site/index.html")], { rounds: options.rounds });
await browser.close();

const of = (name) => times[name].map((ms) => [ms]);
console.log(JSON.stringify({
  passages: cut.length,
  load,
  rounds: options.rounds,
  wordsRounds: MORE * options.rounds,
  engines: Object.fromEntries(NAMES.map((name) => [name, { ms: median(of(name).flat()), ...found[name] }])),
  ratio: { orama: ratio(of(OURS), of(ORAMA)), words: ratio(of(OUR_WORDS), of(ORAMA_WORDS)) },
  demo: Object.fromEntries(Object.keys(demo[0][0]).map((what) => [what, median(demo[0].map((one) => one[what]))])),
}));
process.exit(0);

/** Milliseconds of pages that take turns, by their names. */
async function timed(names, rounds) {
  const all = await turns(names.map((name) => () => firstHit(name)), { rounds });
  return Object.fromEntries(names.map((name, at) => [name, all[at]]));
}

/** Milliseconds until a page's first hit was drawn; what it is, and what was loaded for it, is kept. */
async function firstHit(name) {
  const tab = await browser.open(PAGES[name]);
  await Promise.race([tab.page.waitForFunction(() => globalThis.shown !== undefined), tab.failed]);
  const { ms, text } = await tab.page.evaluate(() => shown);
  found[name] = { bytes: tab.received(), text: text.slice(0, 200) };
  await tab.close();
  return ms;
}

/** The sample's passages as the package cuts them: the peer is given them, and is spared reading HTML. */
async function passages(site) {
  await ownModule(path.join(site, "vademecum"));
  const { Embedder, KnowledgeBase } = await import(pathToFileURL(path.join(site, "vademecum/direct.js")).href);
  const cut = [];
  const embedder = Embedder.custom(async (texts) => (cut.push(...texts), texts.map(() => [1])));
  const kb = await KnowledgeBase.memory({ embedder, chunkTokens: 128 });
  await kb.add(JSON.parse(fs.readFileSync(path.join(site, "library/rust-book.json"), "utf8")).documents);
  await kb.close();
  return cut;
}
