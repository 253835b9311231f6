// The TypeScript compiler over files of our own, against the package as its users have it: by its names, through its `exports`.

import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const PACKAGE = path.join(ROOT, "crates/web/js");
/** As it is shipped, else as the demo page has it. */
const BUILT = ["target/package/vademecum", "target/site/vademecum"].map((folder) => path.join(ROOT, folder)).find((folder) => existsSync(path.join(folder, "vademecum-index.d.ts"))) ?? "";
const NODE_TYPES = path.join(ROOT, "tests/js/node_modules/@types");

/** Whether the wasm module's types are there: they are made with the module. */
export const hasModule = existsSync(path.join(BUILT, "vademecum-index.d.ts"));

const SHARED = {
  strict: true,
  noEmit: true,
  exactOptionalPropertyTypes: true,
  noImplicitOverride: true,
  skipLibCheck: false,
  target: ts.ScriptTarget.ES2022,
  // Without `esnext.disposable`: the package's types bring what they need.
  lib: ["lib.es2022.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts", "lib.dom.asynciterable.d.ts"],
  types: [],
};

/** How users have packages resolved: by a bundler, or as Node does. */
export const RESOLUTIONS = {
  bundler: { ...SHARED, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler },
  node16: { ...SHARED, module: ts.ModuleKind.Node16, moduleResolution: ts.ModuleResolutionKind.Node16 },
};
/** On top of one of these: a program for Node, without a page's types. */
export const IN_NODE = { lib: ["lib.es2022.d.ts"], types: ["node"], typeRoots: [NODE_TYPES] };
/** Both: what documents show is for pages and for scripts. */
export const ANYWHERE = { types: ["node"], typeRoots: [NODE_TYPES] };

/** A folder under `target/types` in which the package is installed, and nothing else is. */
export async function workspace(name) {
  const folder = path.join(ROOT, "target/types", name);
  await rm(folder, { recursive: true, force: true });
  const installed = path.join(folder, "node_modules/vademecum");
  await mkdir(installed, { recursive: true });
  await writeFile(path.join(folder, "package.json"), '{ "private": true, "type": "module" }');
  const types = (await readdir(PACKAGE, { recursive: true })).filter((file) => file.endsWith(".d.ts"));
  await Promise.all(types.map((file) => cp(path.join(PACKAGE, file), path.join(installed, file))));
  if (hasModule) await cp(path.join(BUILT, "vademecum-index.d.ts"), path.join(installed, "vademecum-index.d.ts"));
  const template = await readFile(path.join(ROOT, "pkg.json.template"), "utf8");
  await writeFile(path.join(installed, "package.json"), template.replaceAll(/\{\{\w+\}\}/g, "0.0.0"));
  return folder;
}

/** Parsed once for all programs of a test. */
const libraries = new Map();

function hostFor(options) {
  const host = ts.createCompilerHost(options);
  const parse = host.getSourceFile.bind(host);
  host.getSourceFile = (name, ...how) => {
    const isOwn = !name.includes("/node_modules/typescript/") && !name.includes("/node_modules/@types/");
    if (isOwn) return parse(name, ...how);
    const key = `${name} ${/** @type {ts.CreateSourceFileOptions} */ (how[0]).impliedNodeFormat}`;
    if (!libraries.has(key)) libraries.set(key, parse(name, ...how));
    return libraries.get(key);
  };
  return host;
}

/** What the compiler says of these files and of the package's types: `{ file, line, message }`, `line` from 1. */
export function complaints(files, options) {
  const program = ts.createProgram(files, options, hostFor(options));
  const own = program.getSourceFiles().filter(({ fileName }) => !/\/node_modules\/(typescript|@types|undici-types)\//.test(fileName));
  const found = [
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...own.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
  ];
  return found.map(({ file, start, messageText, code }) => ({
    file: file?.fileName ?? "",
    line: file ? file.getLineAndCharacterOfPosition(start).line + 1 : 0,
    message: `TS${code}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`,
  }));
}
