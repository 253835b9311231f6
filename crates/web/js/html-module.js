// The wasm module that reads HTML: one for both builds, started when HTML is first added.

import init, { readHtml } from "./vademecum-html.js";
import { starter } from "./start.js";

const start = starter(init, new URL("./vademecum-html_bg.wasm", import.meta.url));

/** Returns `readHtml` once the module is started. */
export async function htmlReader() {
  await start();
  return readHtml;
}
