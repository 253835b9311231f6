// Generates docs/api.md from the package's types: `node tests/js/types/reference.mjs`.

import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { read } from "../support/api.mjs";

export const REFERENCE = new URL("../../../docs/api.md", import.meta.url);

/** The entries that declare types, with the heading of each. */
const ENTRIES = [
  { name: "vademecum", file: "index.d.ts", about: "The engine runs in a worker. `vademecum/direct` has the same exports, with the engine in the calling thread: for your own workers, tests and Node. `vademecum/lite` and `vademecum/lite/direct` have the same exports without `Embedder.onnx`, at half the size." },
  { name: "vademecum/parts", file: "parts.d.ts", about: "Libraries in parts on a static host. The reader runs in a worker, or in place where there are none; `vademecum/parts/direct` runs it in the calling thread, without importing anything at run time." },
  { name: "vademecum/elements", file: "elements/index.d.ts" },
  { name: "vademecum/react", file: "react/index.d.ts" },
  { name: "vademecum/testing", file: "testing.d.ts" },
  { name: "vademecum/otel", file: "otel.d.ts" },
  { name: "vademecum/files", file: "files/read.d.ts" },
  { name: "vademecum/build", file: "files/index.d.ts" },
  { name: "vademecum/vite", file: "files/vite.d.ts" },
  { name: "vademecum/wasm", file: "wasm.d.ts" },
];
/** Topics of the main entry, with the files that declare their types, in the order of the page. */
const TOPICS = {
  "Knowledge base": ["knowledge-base-options.d.ts", "knowledge-base.d.ts", "knowledge-base-types.d.ts"],
  "Embedders, rerankers and readers": ["embedder-options.d.ts", "embedder.d.ts", "pair-models.d.ts"],
  Documents: ["documents-options.d.ts", "documents.d.ts", "documents-types.d.ts"],
  "Search and filters": ["search-options.d.ts", "search.d.ts", "search-types.d.ts"],
  "Remote collections": ["searcher-options.d.ts", "remote.d.ts"],
  "The agent": ["agent-options.d.ts", "agent.d.ts"],
  Pipelines: ["pipeline-options.d.ts", "pipeline.d.ts"],
  "Styles that loop": ["styles-options.d.ts", "styles.d.ts", "styles-types.d.ts"],
  Conversations: ["conversation-options.d.ts", "conversation.d.ts"],
  "Run results": ["run-types.d.ts", "run.d.ts"],
  "Language models": ["llm-types.d.ts", "llm.d.ts"],
  "Privacy and security": ["trust.d.ts", "trust-types.d.ts"],
  Evaluation: ["evaluate-options.d.ts", "cases-options.d.ts", "evaluate.d.ts", "evaluate-types.d.ts"],
  Errors: ["error.d.ts", "error-codes.d.ts"],
};

/** Returns the text of the page. */
export function reference() {
  const api = read(ENTRIES.map(({ file }) => file));
  const known = new Set(ENTRIES.flatMap(({ file }) => api.exportsOf(file)).map(({ name }) => name));
  const parts = [
    "# API reference",
    "All exports of the package, with their options. The page is generated from the types (`node tests/js/types/reference.mjs`), which editors show as well. " +
      "`Default` is the value of an option that is left out; unknown options are rejected. The [README](../README.md#errors) explains the error codes.",
    ENTRIES.map(({ name, file }) => contents(name, file, api)).join("\n"),
    ...ENTRIES.flatMap(({ name, file, about }) => [`## ${name}`, about ?? paragraph(api.headOf(file)), ...topics(file, api).flatMap((topic) => section(topic, known))]),
  ];
  return `${parts.join("\n\n")}\n`;
}

const anchor = (title) => title.toLowerCase().replace(/[^\p{L}\p{N}_ -]/gu, "").replaceAll(" ", "-");
const link = (title) => `[${title}](#${anchor(title)})`;

function contents(name, file, api) {
  const of = (exports) => exports.map((one) => link(one.name)).join(", ");
  const [first, ...more] = topics(file, api);
  if (more.length === 0) return `- ${link(name)}: ${of(first.exports)}`;
  return [`- ${link(name)}`, ...[first, ...more].map(({ title, exports }) => `  - ${link(title)}: ${of(exports)}`)].join("\n");
}

/** Returns the exports of an entry by topic, functions and classes first. */
function topics(file, api) {
  const exports = api.exportsOf(file).map((one) => ({ ...one, name: one.name === "default" ? one.symbol.declarations[0].name.text : one.name }));
  const inOrder = (list) => [...list.filter(isCallable), ...list.filter((one) => !isCallable(one))];
  if (file !== "index.d.ts") return [{ exports: inOrder(exports) }];
  const missing = exports.find(({ file }) => !Object.values(TOPICS).flat().includes(file));
  if (missing) throw new Error(`no topic of the reference includes ${missing.file}, which declares ${missing.name}`);
  return Object.entries(TOPICS).map(([title, files]) => ({ title, exports: inOrder(files.flatMap((file) => exports.filter((one) => one.file === file))) }));
}

const CALLABLE = ts.SymbolFlags.Class | ts.SymbolFlags.Function | ts.SymbolFlags.Variable;
/** Whether an export is a function or a class. Interfaces with several methods count as classes that users do not construct. */
const isCallable = ({ symbol }) => (symbol.flags & CALLABLE) !== 0 || (symbol.declarations[0].members ?? []).filter(ts.isMethodSignature).length > 2;

const section = ({ title, exports }, known) => [...(title ? [`### ${title}`] : []), ...exports.flatMap((one) => entry(one, known))];

function entry({ name, symbol }, known) {
  const [node] = symbol.declarations;
  const head = [`#### ${name}`, paragraph(commentOf(ts.isVariableDeclaration(node) ? node.parent.parent : node))];
  const others = new Set([...known].filter((one) => one !== name));
  if (ts.isFunctionDeclaration(node)) return [...head, code(signature(node)), ...see(node, others)];
  if (ts.isTypeAliasDeclaration(node)) return [...head, code(node.getText().replace(/^export /, "")), ...see(node, others)];
  const members = ts.isVariableDeclaration(node) ? /** @type {ts.TypeLiteralNode} */ (node.type).members : node.members;
  const shown = members.filter((member) => !(ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Private) && !member.name?.getText().startsWith("[embedder"));
  const isMethod = (member) => [ts.SyntaxKind.MethodSignature, ts.SyntaxKind.MethodDeclaration, ts.SyntaxKind.Constructor].includes(member.kind);
  const methods = shown.filter(isMethod);
  const fields = shown.filter((member) => !isMethod(member));
  const parents = (node.heritageClauses ?? []).flatMap(({ types }) => types.map((one) => one.getText())).map((text) => (known.has(text) ? link(text) : `\`${text}\``));
  return [
    ...head,
    ...(parents.length > 0 ? [`Extends ${parents.join(" and ")}.`] : []),
    ...(fields.length > 0 ? [table(fields, others)] : []),
    ...(methods.length > 0 ? [methods.map((member) => bullet(member, name, others)).join("\n")] : []),
  ];
}

const code = (text) => `\`\`\`ts\n${text}\n\`\`\``;
const flat = (text) => text.replace(/\/\*\*[\s\S]*?\*\//g, "").replace(/\s+/g, " ").replace(/;$/, "").trim();
/** Returns the text of a type, without the `undefined` of options. */
const typeText = (node) => flat(node?.getText() ?? "any").replace(/ \| undefined$/, "").replace(/^\((\(.*\) => .*)\)$/, "$1");

function signature(node) {
  const text = flat(node.getText()).replace(/^export (default )?/, "").replace(/\( /, "(").replaceAll(/(\?: [^,()]+) \| undefined/g, "$1");
  return node.parameters.length > 3 ? text : text.replace(/,? \)/, ")");
}

function bullet(member, owner, known) {
  const name = ts.isConstructorDeclaration(member) ? `new ${signature(member).replace("constructor", owner)}` : signature(member);
  const types = namesIn(member, known);
  const seen = types.length > 0 ? ` See ${types.map(link).join(", ")}.` : "";
  return `- **\`${name}\`**  \n  ${paragraph(commentOf(member))}${seen}`;
}

function table(fields, known) {
  const rows = fields.map((field) => {
    const name = nameOf(field);
    const comment = paragraph(commentOf(field));
    return `| \`${name}${field.questionToken ? "?" : ""}\` | ${cell(field.type, known)} | ${comment.replaceAll("|", "\\|")} |`;
  });
  return ["| | | |", "|---|---|---|", ...rows].join("\n");
}

/** Returns the name of a field; of an interface that can be called, its parameters. */
function nameOf(field) {
  if (ts.isIndexSignatureDeclaration(field)) return `[${field.parameters[0].name.getText()}]`;
  if (ts.isCallSignatureDeclaration(field)) return `(${field.parameters.map(({ name }) => name.getText()).join(", ")})`;
  return field.name.getText();
}

function cell(type, known) {
  const text = `\`${typeText(type).replaceAll("|", "\\|")}\``;
  const names = type ? namesIn(type, known) : [];
  return names.length === 1 && text.length < 60 ? `[${text}](#${anchor(names[0])})` : [text, ...(names.length > 0 ? [`(${names.map(link).join(", ")})`] : [])].join(" ");
}

function namesIn(node, known) {
  const names = new Set();
  const visit = (one) => {
    if (ts.isIdentifier(one) && known.has(one.text) && (ts.isTypeReferenceNode(one.parent) || ts.isExpressionWithTypeArguments(one.parent))) names.add(one.text);
    ts.forEachChild(one, visit);
  };
  visit(node);
  return [...names];
}

const see = (node, known) => {
  const names = namesIn(node, known);
  return names.length > 0 ? [`See ${names.map(link).join(", ")}.`] : [];
};

function commentOf(node) {
  const [comment] = ts.getJSDocCommentsAndTags(node);
  return comment ? ts.getTextOfJSDocComment(comment.comment) : "";
}

const paragraph = (text) => (text ?? "").replace(/\s+/g, " ").trim();

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeFile(REFERENCE, reference());
