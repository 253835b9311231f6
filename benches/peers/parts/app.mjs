// Our page as a bundler makes it: the script, the workers, and the wasm modules beside them.

import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = path.dirname(fileURLToPath(import.meta.url));
const WASM = ["vademecum-parts-words", "vademecum-parts", "vademecum-encoder", "vademecum-encoder-relaxed", "vademecum-onnx"].map((name) => `${name}_bg.wasm`);

/** Writes the page into a folder. Scripts of the page are in a folder of their own, as they are in the package. */
export async function writeApp(module, to) {
  fs.mkdirSync(path.join(to, "parts"), { recursive: true });
  const common = { bundle: true, minify: true, format: /** @type {const} */ ("esm"), target: "es2022", logLevel: /** @type {const} */ ("error") };
  const ofPackage = {
    name: "package",
    setup: ({ onResolve }) => onResolve({ filter: /^\/site\/vademecum\// }, ({ path: name }) => ({ path: path.join(module, name.slice("/site/vademecum/".length)) })),
  };
  for (const name of ["words.js", "page.js"]) await build({ ...common, entryPoints: [path.join(here, name)], plugins: [ofPackage], splitting: true, outdir: path.join(to, "parts") });
  for (const [worker, folder] of [["parts-worker.js", ""], ["embed-worker.js", "parts"]]) {
    await build({ ...common, entryPoints: [path.join(module, worker)], outfile: path.join(to, folder, worker) });
  }
  for (const name of WASM) for (const folder of ["", "parts"]) fs.copyFileSync(path.join(module, name), path.join(to, folder, name));
  for (const name of ["words", "page"]) {
    fs.writeFileSync(path.join(to, `${name}.html`), `<!doctype html><html lang="en"><meta charset="utf-8"><title>parts</title><link rel="icon" href="data:,"><script type="module" src="./parts/${name}.js"></script></html>`);
  }
  fs.writeFileSync(path.join(to, "pagefind.html"), '<!doctype html><html lang="en"><meta charset="utf-8"><title>pagefind</title><link rel="icon" href="data:,"></html>');
}
