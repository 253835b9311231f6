// What one engine saves for some vectors. Prints one JSON object.
//   node size.mjs '{"engine": "voy-search", "count": 10000}'      or "vademecum", with "module"

import { testVectors } from "./exact.mjs";
import { PEERS, vademecum } from "./engines/vectors.mjs";
import { ownModule } from "./own.mjs";

const options = JSON.parse(process.argv[2]);
const engine = options.engine === "vademecum" ? vademecum(await ownModule(options.module)) : await PEERS[options.engine]();
console.log(JSON.stringify(await sizes()));
process.exit(0);

async function sizes() {
  if (engine.bytesFor) return { bytes: engine.bytesFor(options.count) };
  try {
    await engine.build(testVectors(options.count, 1).vectors);
    const bytes = engine.bytes();
    if (!options.graph) return { bytes };
    engine.graph();
    return { bytes, withGraph: engine.bytes() };
  } catch (error) {
    return { bytes: null, why: String(error?.message ?? error) };
  }
}
