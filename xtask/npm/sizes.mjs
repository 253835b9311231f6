// What a page waits for before it can search, by build: the JavaScript as a bundler makes it of a page that imports KnowledgeBase,
// and of the workers it starts, and the wasm module of the engine, all as a static host compresses them. And each of the modules
// that are fetched later.
//   node sizes.mjs FOLDER   prints JSON, bytes after brotli

import { build } from "esbuild";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

const folder = resolve(process.argv[2]);
const BUILDS = {
  full: { entry: "index.js", workers: ["worker.js", "embed-worker.js"], wasm: "vademecum_bg.wasm" },
  lite: { entry: "lite/index.js", workers: ["lite/worker.js"], wasm: "lite/vademecum_bg.wasm" },
  parts: { entry: "parts.js", exported: "attach", workers: ["parts-worker.js"], wasm: "vademecum-parts-words_bg.wasm" },
};
const LATER = {
  baseline: "vademecum-baseline_bg.wasm",
  "lite-baseline": "lite/vademecum-baseline_bg.wasm",
  agent: "vademecum-agent_bg.wasm",
  html: "vademecum-html_bg.wasm",
  index: "vademecum-index_bg.wasm",
  "parts-all": "vademecum-parts_bg.wasm",
  encoder: "vademecum-encoder_bg.wasm",
  relaxed: "vademecum-encoder-relaxed_bg.wasm",
  onnx: "vademecum-onnx_bg.wasm",
};

function compressed(bytes) {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length, [constants.BROTLI_PARAM_LGWIN]: 24 };
  return brotliCompressSync(bytes, { params }).length;
}

const wasm = (file) => compressed(readFileSync(join(folder, file)));

/** The entry and what it imports at once; what it imports later is in chunks that a page does not wait for. */
async function bundled(entry) {
  const { outputFiles, metafile } = await build({
    ...entry,
    bundle: true,
    minify: true,
    splitting: true,
    metafile: true,
    outdir: "out",
    format: "esm",
    target: "es2022",
    write: false,
  });
  const contents = new Map(outputFiles.map(({ path, contents }) => [path, contents]));
  const waited = new Set();
  const wait = (name) => {
    if (waited.has(name)) return;
    waited.add(name);
    for (const { path, kind } of metafile.outputs[name].imports) if (kind === "import-statement") wait(path);
  };
  wait(Object.keys(metafile.outputs).find((name) => metafile.outputs[name].entryPoint));
  return compressed(Buffer.concat([...waited].map((name) => contents.get(resolve(name)))));
}

async function loaded({ entry, exported = "KnowledgeBase", workers, wasm: file }) {
  let javascript = await page(`export { ${exported} } from "./${entry}"`);
  for (const worker of workers) javascript += await bundled({ entryPoints: [join(folder, worker)] });
  return { javascript, wasm: wasm(file) };
}

const page = (contents) => bundled({ stdin: { contents, resolveDir: folder } });

const sizes = {};
for (const [name, parts] of Object.entries(BUILDS)) sizes[name] = await loaded(parts);
for (const [name, file] of Object.entries(LATER)) sizes[name] = { javascript: 0, wasm: wasm(file) };
// What starts the modules of the agent and of HTML is in the workers above.
sizes.agent.javascript = (await page('export { Agent, KnowledgeBase } from "./index.js"')) - (await page('export { KnowledgeBase } from "./index.js"'));
sizes.index.javascript = await page('export * from "./wasm.js"');
console.log(JSON.stringify(sizes));
