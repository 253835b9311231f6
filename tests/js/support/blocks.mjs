// Reads the code blocks of the documents, with the line numbers of their parts.

import { readdir, readFile } from "node:fs/promises";

const ROOT = new URL("../../../", import.meta.url);

/** Paths of README.md and the guides, relative to the root. Excludes the reference, which is generated from the types. */
export async function documents() {
  const guides = (await readdir(new URL("docs/", ROOT))).filter((name) => name.endsWith(".md") && name !== "api.md").sort();
  const names = ["README.md", ...guides.map((name) => `docs/${name}`)];
  return Promise.all(names.map(async (name) => ({ name, text: await readFile(new URL(name, ROOT), "utf8") })));
}

/**
 * Returns every fenced block: `{ document, language, marks, pieces }`. A piece is `{ line, code }`, where `line` is the line number of
 * its first line in the document. Pieces with `isComment` come first: TypeScript from a comment `<!-- types: … -->` right before the block.
 */
export function blocksOf({ name: document, text }) {
  const lines = text.split("\n");
  const blocks = [];
  for (let at = 0; at < lines.length; at++) {
    const [, indent, fence, info] = lines[at].match(/^( *)(`{3,})(.*)$/) ?? [];
    if (fence === undefined) continue;
    const end = lines.findIndex((line, other) => other > at && line.trim() === fence);
    if (end < 0) throw new Error(`${document}:${at + 1}: the block is not closed`);
    const code = lines.slice(at + 1, end).map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line.trimStart()));
    const [language = "", ...marks] = info.trim().split(/\s+/);
    const comment = commentBefore(lines, at);
    const pieces = [...(comment ? [comment] : []), { line: at + 2, code: code.join("\n") }];
    blocks.push({ document, line: at + 2, language, marks: new Set(marks), pieces });
    at = end;
  }
  return blocks;
}

function commentBefore(lines, fence) {
  let end = fence - 1;
  while (end >= 0 && lines[end].trim() === "") end--;
  if (!lines[end]?.trimEnd().endsWith("-->")) return null;
  let start = end;
  while (start >= 0 && !lines[start].includes("<!--")) start--;
  const comment = lines.slice(start, end + 1).join("\n");
  const [, code] = comment.match(/<!-- types:([\s\S]*)-->/) ?? [];
  return code === undefined ? null : { line: start + 1, code, isComment: true };
}

/** Returns the module scripts of a document's HTML blocks as JavaScript blocks. */
export const scriptsOf = (block) =>
  block.language !== "html" ? [] : inHtml(block, "module").map((piece) => ({ ...block, line: piece.line, language: "js", pieces: [piece] }));

/** Returns the import maps of an HTML block. */
export const importMapsOf = (block) => (block.language === "html" ? inHtml(block, "importmap") : []);

function inHtml({ pieces }, type) {
  const { line, code } = pieces.at(-1);
  const found = [...code.matchAll(new RegExp(`<script type="${type}">([\\s\\S]*?)</script>`, "g"))];
  return found.map((match) => {
    const before = code.slice(0, match.index + match[0].indexOf(">") + 1);
    return { line: line + before.split("\n").length - 1, code: match[1] };
  });
}

/** Groups blocks of JavaScript and TypeScript into modules: a block marked `continued` extends the module of the previous block. */
export function modulesOf(document) {
  const modules = [];
  for (const block of blocksOf(document).flatMap((one) => [one, ...scriptsOf(one)])) {
    if (!["js", "ts"].includes(block.language)) continue;
    const before = modules.at(-1);
    if (block.marks.has("continued")) {
      if (!before) throw new Error(`${document.name}:${block.line}: no previous block to continue`);
      before.blocks.push(block);
    } else modules.push({ document: document.name, line: block.line, blocks: [block] });
  }
  return modules;
}
