// Reads files to documents on a thread of its own, which can be ended if a file makes the reader crash or never ends.

import { parentPort } from "node:worker_threads";
import { filesModule } from "./module.js";

const started = filesModule();

parentPort?.on("message", async ({ id, kind, bytes, page }) => {
  const { readFile } = await started;
  parentPort?.postMessage(readFile(id, kind, bytes, page));
});
