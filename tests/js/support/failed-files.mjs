// Reporter of Node's test runner: writes the paths of files with failed tests, one per line, so that they can be repeated.

import { isAbsolute } from "node:path";

/** @param {AsyncIterable<any>} source */
export default async function* failedFiles(source) {
  for await (const { type, data } of source) {
    if (type !== "test:fail") continue;
    // A file that ends early is a test of its own, named by its path.
    const file = data.file ?? data.name;
    if (isAbsolute(file)) yield `${file}\n`;
  }
}
