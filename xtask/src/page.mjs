// Bundles the demo page's scripts in place: `node page.mjs SITE`. A first visit would wait for chains of some two hundred imports. The files that
// the bundles are made of stay, because workers and the frame for language models import some of them.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";

const { build } = createRequire(new URL("../npm/package.json", import.meta.url))("esbuild");
const site = path.resolve(process.argv[2]);

/** What is loaded from the page, in the order of loading. They share modules, so they are bundled together. */
const ENTRIES = ["boot.js", "main.js"];

/** Has a module find the files beside itself from its bundle, which is in the folder of the page. */
const beside = {
  name: "beside",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.js$/ }, async ({ path: file }) => {
      const name = path.relative(site, file).split(path.sep).join("/");
      const contents = await readFile(file, "utf8");
      return { contents: contents.replaceAll("import.meta.url", `new URL("./${name}", import.meta.url).href`) };
    }),
};

await build({
  absWorkingDir: site,
  entryPoints: ENTRIES,
  outdir: site,
  allowOverwrite: true,
  bundle: true,
  splitting: true,
  chunkNames: "scripts-[hash]",
  format: "esm",
  target: "es2022",
  minify: true,
  legalComments: "inline",
  logLevel: "warning",
  plugins: [beside],
});
