// Embedding throughput in headless Chromium: the package's pool of workers against the bare runtime and transformers.js, all on
// one page. Prints one JSON object.
//   node embedding.mjs '{"module": "…/site/vademecum", "documents": 10, "rounds": 5}'

import os from "node:os";
import path from "node:path";
import { startBrowser } from "./browser/browser.mjs";
import { median, ratio, turns } from "./measure.mjs";

const NAMES = ["one worker", "two workers", "runtime", "bare", "two bare", "transformers.js"];

const options = JSON.parse(process.argv[2]);
const load = os.loadavg()[0];
const browser = await startBrowser(path.dirname(path.resolve(options.module)));
const tab = await browser.open("/embedding.html");
await tab.page.waitForFunction(() => globalThis.bench !== undefined);
const work = await tab.ask((count) => bench.prepare(count), options.documents);
const times = await turns(NAMES.map((name) => () => tab.ask((name) => bench.run(name), name)), { rounds: options.rounds });
await tab.close();
await browser.close();

const of = (name) => times[NAMES.indexOf(name)].map((ms) => [ms]);
console.log(JSON.stringify({
  ...work,
  load,
  rounds: times[0].length,
  engines: Object.fromEntries(NAMES.map((name) => [name, { ms: median(of(name).flat()) }])),
  ratio: {
    pool: ratio(of("two workers"), of("one worker")),
    runtime: ratio(of("one worker"), of("runtime")),
    bare: ratio(of("one worker"), of("bare")),
    cores: ratio(of("two bare"), of("bare")),
    transformers: ratio(of("one worker"), of("transformers.js")),
  },
}));
process.exit(0);
