// Opening a saved library, and importing one from a file: ours against Orama's, in this process. Prints one JSON object.
//   node open.mjs '{"module": "…/site/vademecum", "data": "…/wiki-multihop", "count": 10000, "rounds": 5}'

import path from "node:path";
import { pathToFileURL } from "node:url";
import { orama, passages, stored, vademecum } from "./library.mjs";
import { interleaved, median, ratio, share } from "./measure.mjs";
import { ownModule } from "./own.mjs";

const QUESTION = "journal of mathematical physics";

/** How often each library is opened in a round: the first time after a pause, the system may have taken its memory away. */
const TIMES = 5;

const options = JSON.parse(process.argv[2]);
const all = passages(options.data, options.count);

/** @type {any[]} */
const engines = [];
if (await ownModule(options.module)) {
  // The raw module is started: the package finds it so, and fetches nothing.
  const [direct, raw, memory] = await Promise.all(["direct.js", "vademecum.js", "storage/memory.js"].map(part));
  const imported = vademecum(direct);
  engines.push({ name: "vademecum", ...stored(raw, memory, imported) }, { name: "vademecum, imported from a file", ...imported });
}
engines.push({ name: "@orama/orama", ...orama(await import("@orama/orama")) });

for (const engine of engines) engine.saved = await engine.make(all);

const opened = await rounds((engine) => engine.open(engine.saved));
// What is put off until the first question is counted here.
const answered = await rounds(async (engine) => {
  const library = await engine.open(engine.saved);
  await engine.ask(library, QUESTION);
  return library;
});

const sizes = await Promise.all(engines.map((engine) => engine.size(engine.saved)));
const compared = (times, at) => (engines.length === 3 ? ratio(times[at], times[2]) : null);
console.log(JSON.stringify({
  count: all.length,
  share: share(),
  engines: Object.fromEntries(engines.map((engine, at) => [engine.name, {
    open: median(opened[at].flat()),
    answered: median(answered[at].flat()),
    bytes: sizes[at],
  }])),
  ratio: { open: compared(opened, 0), answered: compared(answered, 0), imported: compared(opened, 1) },
}));
process.exit(0);

/** Imports a module of the package. */
function part(name) {
  return import(pathToFileURL(path.resolve(options.module, name)).href);
}

/** Opens every library several times, interleaved, and closes each before the next is opened. */
function rounds(open) {
  const contestants = engines.map((engine) => {
    let library;
    const one = async () => (library = await open(engine));
    one.prepare = () => {
      if (library) engine.close(library);
      library = undefined;
    };
    return one;
  });
  return interleaved(contestants, TIMES, { rounds: options.rounds, warmUp: 1 });
}
