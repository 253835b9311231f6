// Claims in code blocks: `expression;  // → value` states the expected value of the expression, and is checked when the block runs.

import { Script } from "node:vm";
import ts from "typescript";

const MARK = "// →";

/**
 * Returns the executable code of a module. Line numbers are those of the document, so that errors refer to it. Each claim becomes a
 * call `claim(line, actual, expected)`.
 */
export function runnable({ document, blocks }) {
  let text = "";
  for (const { pieces, language, line } of blocks) {
    if (language !== "js") throw new Error(`${document}:${line}: only blocks of JavaScript can be run`);
    const piece = pieces.at(-1); // previous pieces are types
    text += "\n".repeat(piece.line - text.split("\n").length) + withClaims(piece, document);
  }
  return `${text}\n`;
}

/** Whether code uses one of these names without a top-level declaration. */
export function uses(code, names) {
  const source = ts.createSourceFile("block.js", code, ts.ScriptTarget.ESNext, true, ts.ScriptKind.JS);
  const declared = new Set();
  const bind = (name) => (ts.isIdentifier(name) ? declared.add(name.text) : name.elements.forEach((element) => element.name && bind(element.name)));
  for (const statement of source.statements) {
    if (ts.isVariableStatement(statement)) statement.declarationList.declarations.forEach(({ name }) => bind(name));
  }
  return names.some((name) => !declared.has(name) && new RegExp(`(?<!\\.)\\b${name}\\b`).test(code));
}

/** Returns the number of claims in a piece of code. */
export const claimsIn = ({ code }) => code.split(MARK).length - 1;

function withClaims({ code, line }, document) {
  const source = ts.createSourceFile("block.js", code, ts.ScriptTarget.ESNext, true, ts.ScriptKind.JS);
  const lineOf = (node) => line + source.getLineAndCharacterOfPosition(node.end).line;
  const edits = [];
  const visit = (node) => {
    const value = claimAfter(node, code);
    if (value === null) return ts.forEachChild(node, visit);
    if (!isExpression(value)) throw new Error(`${document}:${lineOf(node)}: “${value}” is not an expression`);
    edits.push({ start: node.getStart(), end: node.end, text: asCall(node, value, lineOf(node)) });
  };
  visit(source);
  if (edits.length !== claimsIn({ code })) throw new Error(`${document}:${line}: a claim (“${MARK}”) must follow an expression, a call of console.log or a constant`);
  for (const { start, end, text } of edits.reverse()) code = code.slice(0, start) + text + code.slice(end);
  return code;
}

function isExpression(text) {
  try {
    return new Script(`(${text}\n)`) instanceof Script;
  } catch {
    return false;
  }
}

/** Returns the expected value of the claim after a statement, as source text, or null. */
function claimAfter(node, code) {
  if (!ts.isExpressionStatement(node) && !ts.isVariableStatement(node)) return null;
  const comment = ts.getTrailingCommentRanges(code, node.end)?.[0];
  const text = comment ? code.slice(comment.pos, comment.end) : "";
  return text.startsWith(MARK) ? text.slice(MARK.length).trim() : null;
}

function asCall(node, value, line) {
  if (ts.isVariableStatement(node)) {
    const [{ name }] = node.declarationList.declarations;
    return `${node.getText()} claim(${line}, ${name.getText()}, (${value}));`;
  }
  const { expression } = node;
  const isLog = ts.isCallExpression(expression) && expression.expression.getText() === "console.log" && expression.arguments.length === 1;
  return `claim(${line}, ${(isLog ? expression.arguments[0] : expression).getText()}, (${value}));`;
}

/** Collects false claims. Self-contained, because pages receive its source text. */
export function keeper() {
  const wrong = [];
  const literal = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const holds = (is, said) => {
    if (typeof said === "string" && said.includes("…")) return typeof is === "string" && new RegExp(`^${said.split("…").map(literal).join(".*")}$`, "s").test(is);
    if (typeof said !== "object" || said === null || typeof is !== "object" || is === null) return Object.is(is, said);
    const names = Object.keys(said);
    return Array.isArray(is) === Array.isArray(said) && Object.keys(is).length === names.length && names.every((name) => holds(is[name], said[name]));
  };
  globalThis.claim = (line, is, said) => {
    if (!holds(is, said)) wrong.push({ line, is: JSON.stringify(is) ?? String(is), said: JSON.stringify(said) ?? String(said) });
  };
  return wrong;
}
