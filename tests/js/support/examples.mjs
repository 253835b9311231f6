// Copies of the programs in `examples/`, with the package installed.

import { execFile } from "node:child_process";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const BUILT = ["target/package/vademecum", "target/site/vademecum"].map((folder) => path.join(ROOT, folder)).find((folder) => existsSync(path.join(folder, "lite/vademecum_bg.wasm")));
export const NOTES = path.join(ROOT, "examples/notes");

/** Reason to skip tests of examples, or false. */
export const skip = BUILT ? false : "the modules are not built: `cargo xtask demo` builds them";

const run = promisify(execFile);

/** Copies an example to a new folder, and installs the package: built modules and current sources. */
export async function installed(name) {
  const folder = path.join(ROOT, "target/examples", name);
  const to = path.join(folder, "node_modules/vademecum");
  await rm(folder, { recursive: true, force: true });
  await mkdir(to, { recursive: true });
  await cp(path.join(ROOT, "examples", name), folder, { recursive: true });
  await cp(BUILT, to, { recursive: true, filter: (from) => !["docs", "ort"].includes(path.basename(from)) });
  await cp(path.join(ROOT, "crates/web/js"), to, { recursive: true });
  const template = await readFile(path.join(ROOT, "pkg.json.template"), "utf8");
  await writeFile(path.join(to, "package.json"), template.replaceAll(/\{\{\w+\}\}/g, "0.0.0"));
  return folder;
}

/** Runs a program of an installed example, and returns the lines that it prints. */
export async function printed(folder, program, words = [], env = {}) {
  const { stdout } = await run(process.execPath, [program, ...words], { cwd: folder, env: { ...process.env, ...env }, timeout: 60_000 });
  return stdout.trim().split("\n");
}
