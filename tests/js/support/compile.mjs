// Compiles programs against the package as users install it: imports by name, resolved through `exports`.

import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const PACKAGE = path.join(ROOT, "crates/web/js");
/** The built package, or else the demo page's copy. */
const BUILT = ["target/package/vademecum", "target/site/vademecum"].map((folder) => path.join(ROOT, folder)).find((folder) => existsSync(path.join(folder, "vademecum-index.d.ts"))) ?? "";
const NODE_TYPES = path.join(ROOT, "tests/js/node_modules/@types");

/** Whether the types of the wasm module exist. They are generated with the module. */
export const hasModule = existsSync(path.join(BUILT, "vademecum-index.d.ts"));

const SHARED = {
  strict: true,
  noEmit: true,
  exactOptionalPropertyTypes: true,
  noImplicitOverride: true,
  skipLibCheck: false,
  target: ts.ScriptTarget.ES2022,
  // Without `esnext.disposable`: the package's types declare what they need of it.
  lib: ["lib.es2022.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts", "lib.dom.asynciterable.d.ts"],
  types: [],
};

/** Compiler options for module resolution by bundlers and by Node. */
export const RESOLUTIONS = {
  bundler: { ...SHARED, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler },
  node16: { ...SHARED, module: ts.ModuleKind.Node16, moduleResolution: ts.ModuleResolutionKind.Node16 },
};
/** Additional options of programs for Node, without the DOM types. */
export const IN_NODE = { lib: ["lib.es2022.d.ts"], types: ["node"], typeRoots: [NODE_TYPES] };
/** Types of both environments, because documents contain code for pages and for Node. */
export const ANYWHERE = { types: ["node"], typeRoots: [NODE_TYPES] };

/** Creates a folder under `target/types` in which only the package is installed. */
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

/** Parsed declarations of TypeScript and Node, shared by all programs of a test. */
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

/** Returns the compiler's messages about these files and the package's types: `{ file, line, message }`, with 1-based lines. */
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
