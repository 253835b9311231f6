// Bundles the demo page's scripts in place: `node page.mjs SITE`. A first visit would wait for chains of some two hundred imports. The files that
// the bundles are made of stay, because workers and the frame for language models import some of them.

import { realpath } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";

const require = createRequire(new URL("../npm/package.json", import.meta.url));
const { transform } = require("esbuild");
const { rollup } = require("rollup");
const site = await realpath(process.argv[2]); // as the bundler names files

/** What is loaded from the page, in the order of loading. */
const ENTRIES = ["boot.js", "main.js"].map((name) => path.join(site, name));
/** Names the bundles and the modules of each, in the order of loading. A bundle contains all that its modules import, except for modules of earlier bundles. */
const FILES = Object.entries({ words: ["words.js", "words/translate.js"], open: ["open.js"], main: ["main.js"], rest: ["rest.js"] });
/** A module that is one file already, and that `index.html` names. */
const WHOLE = path.join(site, "vademecum/preload.js");

/** Has a module find the files beside itself from its bundle, which is in the folder of the page. */
const beside = {
  name: "beside",
  transform(code, file) {
    const name = path.relative(site, file).split(path.sep).join("/");
    return { code: code.replaceAll("import.meta.url", `new URL("./${name}", import.meta.url).href`), map: null };
  },
};

const minified = {
  name: "minified",
  renderChunk: async (code) => ({ code: (await transform(code, { minify: true, target: "es2022", legalComments: "inline" })).code, map: null }),
};

/** Adds modules and all that they import to a set, but for those of another one. */
function addAll(found, files, getModuleInfo, others) {
  for (const file of files) {
    if (found.has(file) || others.has(file)) continue;
    found.add(file);
    addAll(found, getModuleInfo(file).importedIds, getModuleInfo, others);
  }
}

let files = null;
/** Returns the name of the file that a module belongs to. Without one, the bundler makes a file for each set of modules that import it. */
function fileOf(id, { getModuleInfo }) {
  if (!files) {
    files = new Map();
    const seen = new Set();
    for (const [name, modules] of FILES) {
      const found = new Set();
      addAll(found, modules.map((module) => path.join(site, module)), getModuleInfo, seen);
      for (const file of found) {
        seen.add(file);
        files.set(file, name);
      }
    }
  }
  return files.get(id);
}

const bundle = await rollup({
  input: ENTRIES,
  external: [WHOLE],
  plugins: [beside],
  preserveEntrySignatures: false,
  onwarn(warning) {
    throw Object.assign(new Error(warning.message), warning);
  },
});
await bundle.write({
  dir: site,
  format: "es",
  entryFileNames: "[name].js",
  chunkFileNames: "scripts-[name]-[hash].js",
  hashCharacters: "base36",
  manualChunks: fileOf,
  plugins: [minified],
});
await bundle.close();
