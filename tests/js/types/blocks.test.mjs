// Compiles every code block of the README and the guides in strict mode against the package's types, as a user's program.

import assert from "node:assert/strict";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { blocksOf, documents, importMapsOf, modulesOf } from "../support/blocks.mjs";
import { ANYWHERE, complaints, RESOLUTIONS, workspace } from "../support/compile.mjs";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const DECLARATIONS = ["names.d.ts", "modules.d.ts"];
const all = await documents();

/** Code blocks in JavaScript do not declare the types of parameters. */
const UNTYPED_PARAMETER = /^TS70(06|31):/;

/** Returns the source file of a module, with the language and the line in the document of each line. */
function asFile({ document, blocks }) {
  const lines = [];
  const places = [];
  for (const { language, pieces } of blocks) {
    for (const piece of pieces) {
      piece.code.split("\n").forEach((line, at) => {
        lines.push(line);
        places.push({ place: `${document}:${piece.line + at}`, language });
      });
    }
  }
  return { text: `${lines.join("\n")}\nexport {};\n`, places };
}

/** Returns the errors in code blocks of documents, each with its position. */
async function wrongIn(documents, name, options) {
  const folder = await workspace(name);
  const places = new Map();
  for (const module of documents.flatMap(modulesOf)) {
    const { text, places: ofLines } = asFile(module);
    const file = path.join(folder, `${module.document}.${module.line}.ts`);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
    places.set(file, ofLines);
  }
  await Promise.all(DECLARATIONS.map((name) => cp(path.join(HERE, name), path.join(folder, name))));
  const declarations = DECLARATIONS.map((name) => path.join(folder, name));
  const found = complaints([...places.keys(), ...declarations], { ...options, ...ANYWHERE });
  return found.flatMap(({ file, line, message }) => {
    const { place = `${file}:${line}`, language } = places.get(file)?.[line - 1] ?? {};
    return language === "js" && UNTYPED_PARAMETER.test(message) ? [] : [`${place}: ${message}`];
  });
}

for (const [name, options] of Object.entries(RESOLUTIONS)) {
  test(`every block is accepted by the strict compiler (${name})`, async () => {
    assert.ok(all.flatMap(modulesOf).length > 15);
    assert.deepEqual(await wrongIn(all, `blocks-${name}`, options), []);
  });
}

test("a block marked as JavaScript is JavaScript", () => {
  const wrong = all.flatMap(modulesOf).flatMap(({ blocks }) => blocks).filter(({ language }) => language === "js").flatMap(({ document, pieces }) => {
    const { line, code } = pieces.at(-1);
    const { diagnostics } = ts.transpileModule(code, { fileName: "block.js", reportDiagnostics: true, compilerOptions: { allowJs: true, target: ts.ScriptTarget.ESNext } });
    return diagnostics.map(({ file, start, messageText }) => `${document}:${line + file.getLineAndCharacterOfPosition(start).line}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`);
  });
  assert.deepEqual(wrong, []);
});

test("blocks of other languages parse as marked", async () => {
  const source = await readFile(new URL("../../../xtask/src/main.rs", import.meta.url), "utf8");
  const commands = new Set([...source.matchAll(/^ {8}"(\w+)"/gm)].map(([, name]) => name));
  assert.ok(commands.has("demo"));
  for (const document of all) {
    for (const block of blocksOf(document)) {
      const place = `${document.name}:${block.line}`;
      const { code } = block.pieces.at(-1);
      assert.ok(["js", "ts", "html", "json", "sh", "rust", "text"].includes(block.language), `${place}: a block of "${block.language}", which nothing checks`);
      for (const json of block.language === "json" ? [{ code }] : importMapsOf(block)) assert.doesNotThrow(() => JSON.parse(json.code), place);
      if (block.language !== "sh") continue;
      for (const [, command] of code.matchAll(/cargo xtask (\w+)/g)) assert.ok(commands.has(command), `${place}: there is no cargo xtask ${command}`);
    }
  }
});

describe("the check itself", () => {
  const wrong = (text) => wrongIn([{ name: "guide.md", text }], "blocks-check", RESOLUTIONS.bundler);
  const block = (code, info = "js") => `\`\`\`${info}\n${code}\n\`\`\`\n`;

  test("reports the document and the line of an error", async () => {
    const [found, ...more] = await wrong(`# A guide\n\n${block("const hits = 1;\nawait kb.search(\"x\", { limt: hits });")}`);
    assert.match(found, /^guide\.md:5: TS\d+: .*limt/);
    assert.deepEqual(more, []);
  });

  test("accepts the names that a comment before the block declares, and reports errors in such a comment", async () => {
    const declared = "<!-- types:\ndeclare const vectors: number[];\ndeclare const other: Nothing;\n-->\n\n";
    const [found, ...more] = await wrong(declared + block("vectors.map((one) => one + 1);"));
    assert.match(found, /^guide\.md:3: .*Nothing/);
    assert.deepEqual(more, []);
  });

  test("treats a continued block as a part of the previous one", async () => {
    const text = `${block("const own = await kb.stats();")}\nprose\n\n${block("own.documents;\nown.nothing;", "js continued")}`;
    const [found, ...more] = await wrong(text);
    assert.match(found, /^guide\.md:9: .*nothing/);
    assert.deepEqual(more, []);
  });

  test("checks modules in HTML", async () => {
    const page = block('<p>\n<script type="module">\n  import { Nothing } from "vademecum";\n</script>', "html");
    const [found] = await wrong(page);
    assert.match(found, /^guide\.md:4: .*Nothing/);
  });
});
