// The project's JavaScript as programs of the TypeScript compiler, for type checks and for lint rules that need types.

import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const PACKAGE = path.join(ROOT, "crates/web/js");
const TYPES = path.join(ROOT, "tests/js/node_modules/@types");
/** The folder from which imports of packages by the package's own code are resolved: its optional dependencies are installed for tests. */
const TESTS = path.join(ROOT, "tests/js/support/programs.mjs");
/** The folders of the wasm modules' types, which are generated with the modules. */
const BUILT = ["target/package/vademecum", "target/site/vademecum"].map((folder) => path.join(ROOT, folder));

/** Returns the path of a module's types, where they are built. */
const builtTypes = (name) => BUILT.map((folder) => path.join(folder, name)).find((file) => existsSync(file));

/** Whether these types exist. Without them, values that the modules return have type `any`. */
export const hasModules = builtTypes("vademecum.d.ts") !== undefined;

const OPTIONS = {
  allowJs: true,
  checkJs: true,
  strict: true,
  // Parameters are documented in prose; a thrown value can have any type, and is checked where it is caught.
  noImplicitAny: false,
  useUnknownInCatchVariables: false,
  noEmit: true,
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  // Scripts of a page and of a service worker share no names.
  moduleDetection: ts.ModuleDetectionKind.Force,
  lib: ["lib.esnext.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts", "lib.dom.asynciterable.d.ts"],
  types: ["node"],
  typeRoots: [TYPES],
  skipLibCheck: true,
};

/** Returns the paths of all scripts in these folders. */
export function scriptsIn(...folders) {
  const inside = (folder) => readdirSync(path.join(ROOT, folder), { recursive: true }).map((name) => path.join(ROOT, folder, name));
  return folders.flatMap(inside).filter((file) => /\.m?js$/.test(file) && !file.includes(`${path.sep}node_modules${path.sep}`)).sort();
}

/**
 * Returns the file of a relative import, if it differs from the default resolution. Imports within the package resolve to the sources
 * instead of the public types; imports of generated files resolve to the build folder. The page's imports of the package resolve to the public types, and
 * parts of elements, which have none, to the sources.
 */
function placed(name, from) {
  const wanted = path.resolve(path.dirname(from), name);
  if (wanted.startsWith(PACKAGE)) {
    const isMade = /^vademecum(-[\w-]+)?\.js$/.test(path.basename(wanted));
    return isMade ? builtTypes(path.basename(wanted).replace(/js$/, "d.ts")) : wanted;
  }
  const inSite = /\/vademecum\/([\w./-]+)\.js$/.exec(wanted);
  return inSite ? [".d.ts", ".js"].map((end) => path.join(PACKAGE, inSite[1] + end)).find((file) => existsSync(file)) : undefined;
}

/** Returns a program of these files. @param {string[]} files @param {ts.CompilerOptions} [more] */
export function programOf(files, more = {}) {
  const options = { ...OPTIONS, ...more };
  const host = ts.createCompilerHost(options);
  const cache = ts.createModuleResolutionCache(ROOT, (name) => name, options);
  host.resolveModuleNameLiterals = (literals, from, redirected, given, source) =>
    literals.map((literal) => {
      const file = literal.text.startsWith(".") && !from.endsWith(".d.ts") ? placed(literal.text, from) : undefined;
      if (file && existsSync(file)) return { resolvedModule: { resolvedFileName: file, extension: file.endsWith(".d.ts") ? ".d.ts" : ".js", isExternalLibraryImport: false } };
      const where = from.startsWith(PACKAGE) && !literal.text.startsWith(".") ? TESTS : from;
      return ts.resolveModuleName(literal.text, where, given, host, cache, redirected, ts.getModeForUsageLocation(source, literal, given));
    });
  return ts.createProgram(files, options, host);
}

/** Returns the compiler's messages about these files, each as `file:line: message`. */
export function faultsOf(files, more) {
  const program = programOf(files, more);
  const sources = files.map((file) => program.getSourceFile(file)).filter((source) => source !== undefined);
  const found = sources.flatMap((source) => [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]);
  return found.map(({ file, start = 0, messageText, code }) => {
    const line = file ? file.getLineAndCharacterOfPosition(start).line + 1 : 0;
    return `${path.relative(ROOT, file?.fileName ?? "")}:${line}: TS${code}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
  });
}
