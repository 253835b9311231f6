// Reads the package's type declarations with the compiler: entries, their exports, and the members of these.

import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

export const PACKAGE = fileURLToPath(new URL("../../../crates/web/js/", import.meta.url));

const options = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler, strict: true, allowJs: true, noResolve: false, types: [] };

/** Returns a program over files of the package, by name. */
export function read(names) {
  const files = names.map((name) => path.join(PACKAGE, name));
  const program = ts.createProgram(files, options);
  const checker = program.getTypeChecker();
  const moduleOf = (name) => checker.getSymbolAtLocation(program.getSourceFile(path.join(PACKAGE, name)));
  const resolved = (symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);
  return {
    checker,
    /** Returns the first comment of a file. */
    headOf: (name) => docOfText(readFileSync(path.join(PACKAGE, name), "utf8")),
    /** Returns the exports of a file, `{ name, symbol, file }` each, in the order of their declarations. */
    exportsOf: (name) =>
      checker
        .getExportsOfModule(moduleOf(name))
        .map((symbol) => ({ name: symbol.name, symbol: resolved(symbol) }))
        .filter(({ symbol }) => symbol.declarations?.length > 0)
        .map((one) => ({ ...one, file: path.basename(one.symbol.declarations[0].getSourceFile().fileName) })),
    membersOf: (symbol) => checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol)),
    docOf: (symbol) => ts.displayPartsToString(symbol.getDocumentationComment(checker)),
  };
}

const docOfText = (text) => {
  const [, comment] = text.match(/^(?:\/\/\/.*\n)?\/\*\*([\s\S]*?)\*\//) ?? [];
  return comment?.replace(/^\s*\* ?/gm, "").replace(/\s+/g, " ").trim();
};

/** Whether a symbol has a value at run time. */
export const isValue = ({ flags }) => (flags & ts.SymbolFlags.Value) !== 0;
