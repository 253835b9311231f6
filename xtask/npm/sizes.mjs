// What a page loads of each build: the entry, and all that it and its workers import, as a static host compresses it.
//   node sizes.mjs FOLDER   prints JSON, bytes after brotli

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";

const folder = pathToFileURL(join(process.argv[2], "/"));
const ENTRIES = { full: "index.js", lite: "lite/index.js" };
const ADDRESSES = /(?:\bfrom |\bimport |new URL\()["'](\.{1,2}\/[^"']+\.(?:js|wasm))["']/g;

function compressed(bytes) {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length, [constants.BROTLI_PARAM_LGWIN]: 24 };
  return brotliCompressSync(bytes, { params }).length;
}

function loaded(entry) {
  const sizes = { javascript: 0, wasm: 0 };
  const open = [new URL(entry, folder).href];
  const seen = new Set(open);
  for (const address of open) {
    const bytes = readFileSync(new URL(address));
    sizes[address.endsWith(".wasm") ? "wasm" : "javascript"] += compressed(bytes);
    if (address.endsWith(".wasm")) continue;
    for (const [, relative] of bytes.toString().matchAll(ADDRESSES)) {
      const next = new URL(relative, address).href;
      if (!seen.has(next)) open.push(next);
      seen.add(next);
    }
  }
  return sizes;
}

console.log(JSON.stringify(Object.fromEntries(Object.entries(ENTRIES).map(([build, entry]) => [build, loaded(entry)]))));
