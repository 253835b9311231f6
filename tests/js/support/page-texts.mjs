// The texts of the demo page, as its sources have them: what scripts pass to `t`, what index.html contains, and nouns behind numbers.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

export const WWW = fileURLToPath(new URL("../../../www/", import.meta.url));
/** Scripts without texts for users, and the catalogues themselves. */
const WITHOUT = /^(sw|llm-frame|csv|words|words\/.*)\.js$/;

export const scripts = () => readdirSync(WWW, { recursive: true, encoding: "utf8" }).map((name) => name.replaceAll("\\", "/")).filter((name) => name.endsWith(".js") && !WITHOUT.test(name)).sort();

/** Returns the key of a literal, with `{0}`, `{1}` … for inserted values. */
const keyOf = (node) =>
  ts.isTemplateExpression(node) ? node.templateSpans.reduce((sofar, { literal }, at) => `${sofar}{${at}}${literal.text}`, node.head.text) : node.text;

const isText = (node) => ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node);

/** Returns the texts of a script: `used` are those passed to `t`, `nouns` those of `plural`, and `others` all other strings. */
export function textsOf(name) {
  const source = ts.createSourceFile(name, readFileSync(path.join(WWW, name), "utf8"), ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
  const found = { used: [], nouns: [], others: [] };
  const visit = (node) => {
    if (ts.isImportDeclaration(node)) return;
    const { parent } = node;
    if (isText(node)) {
      const isTagged = parent && ts.isTaggedTemplateExpression(parent) && parent.tag.getText() === "t";
      const called = parent && ts.isCallExpression(parent) ? parent.expression.getText() : "";
      if (isTagged || (called === "t" && parent.arguments[0] === node)) found.used.push(keyOf(node).trim());
      else if (called === "plural" && parent.arguments[1] === node) found.nouns.push(keyOf(node));
      else found.others.push(keyOf(node));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Returns the pieces of text of index.html: text nodes and attributes, without what has a language of its own. */
export function piecesOfPage() {
  const html = readFileSync(path.join(WWW, "index.html"), "utf8").replace(/<!--.*?-->/gs, "").replace(/<(script|style)\b.*?<\/\1>/gs, "<br>");
  const unquoted = (text) => text.replace(/&#10;/g, "\n").replace(/&amp;/g, "&").replace(/\s+/g, " ").trim();
  const own = html.replace(/<(?!html)(\w+)[^>]* lang="[^"]*"[^>]*>.*?<\/\1>/gs, "<br>");
  const attributes = [...own.matchAll(/ (?:aria-label|title|placeholder)="([^"]+)"|<meta name="description" content="([^"]+)"/g)].map(([, one, other]) => one ?? other);
  const nodes = own.replace(/<[^>]*>/g, "\u0000").split("\u0000");
  return [...new Set([...attributes, ...nodes].map(unquoted))].filter((text) => /\p{L}/u.test(text));
}
