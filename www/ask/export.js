// An answer as text to copy or to save: with the question and the sources, as Markdown or plain.

import { texts } from "../texts.js";
import { numbersOf } from "../vademecum/elements/citations.js";
import { printable, sourceOf } from "../vademecum/elements/nodes.js";
import { blocksOf } from "../vademecum/elements/text/markdown.js";
import { t } from "../words.js";

/** Returns the quoted parts of each card, as they are in their document: `{ citation, words }`. */
const quotedParts = (quotes) => quotes.map(({ citations, spans, text }) => ({ citation: citations[0], words: spans.map(({ start, end }) => text.slice(start, end)) }));

/** @param quotes what `quotesOf` returned for the record, or null */
export function markdownOf(record, quotes) {
  const { question, result } = record;
  const sources = sourcesOf(result).map(({ number, source }) => `${number}. ${source}`);
  const answer = quotes
    ? quotedParts(quotes).map(({ citation, words }) => words.map((text) => quoted(printable(text))).join("\n>\n") + `\n>\n> — ${sourceOf(citation, texts)}`).join("\n\n")
    : answerOf(result);
  return [`# ${question}`, ...[answer, tableOf(result.output)].filter(Boolean), ...(quotes || sources.length === 0 ? [] : [`## ${t("Sources")}\n\n${sources.join("\n")}`])].join("\n\n") + "\n";
}

/** Returns the rows of an answer as a table. */
function tableOf(output) {
  if (!output || output.rows.length === 0) return "";
  const cell = (value) => (value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value)).replaceAll("|", "\\|").replaceAll("\n", " ");
  const line = (cells) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(output.columns), line(output.columns.map(() => "---")), ...output.rows.map(line)].join("\n");
}

const quoted = (text) => text.split("\n").map((line) => `> ${line}`.trimEnd()).join("\n");

/** The rows of a table are left out: they are copied as CSV. */
export function plainOf(record, quotes) {
  const { question, result } = record;
  const sources = sourcesOf(result).map(({ number, source }) => `[${number}] ${source}`);
  const answer = quotes
    ? quotedParts(quotes).map(({ citation, words }) => `“${words.map((text) => withoutMarks(printable(text))).join(" … ")}”\n(${sourceOf(citation, texts)})`).join("\n\n")
    : result.answeredBy === "llm" ? withoutMarks(answerOf(result)) : answerOf(result);
  return [question, ...[answer].filter(Boolean), ...(quotes || sources.length === 0 ? [] : [`${t("Sources")}:\n${sources.join("\n")}`])].join("\n\n") + "\n";
}

/** The text of an answer, with the numbers that the page shows in its citations' places. */
function answerOf({ answer, citations }) {
  if (!answer) return "";
  const numbers = numbersOf(citations);
  let text = "";
  let at = 0;
  for (const citation of [...citations].sort((a, b) => a.at.start - b.at.start)) {
    text += `${answer.slice(at, citation.at.start)}[${numbers.get(citation.number)}]`;
    at = citation.at.end;
  }
  return printable(text + answer.slice(at));
}

function sourcesOf({ citations }) {
  const numbers = numbersOf(citations);
  const named = new Map(citations.map((citation) => [numbers.get(citation.number), sourceOf(citation, texts)]));
  return [...numbers.values()].map((number) => ({ number, source: named.get(number) }));
}

/** Returns Markdown without its marks. The cells of a table are separated by tabs, so that a spreadsheet takes them. */
export function withoutMarks(text) {
  const inline = (parts) => parts.map(({ kind, from, to, parts: inner }) => (kind === "break" ? "\n" : inner ? inline(inner) : text.slice(from, to))).join("");
  const one = ({ kind, from, to, parts, lines, rows, items, start, blocks }) => {
    if (parts) return inline(parts);
    if (kind === "code") return lines.map((line) => text.slice(line.from, line.to)).join("\n");
    if (kind === "table") return rows.map(({ cells }) => cells.map(inline).join("\t")).join("\n");
    if (kind === "list") return items.map((inside, at) => `${start === null ? "-" : `${start + at}.`} ${inside.map(one).join("\n").replaceAll("\n", "\n  ")}`).join("\n");
    if (kind === "quote") return blocks.map(one).join("\n");
    return text.slice(from, to);
  };
  return blocksOf(text).map(one).join("\n\n");
}

/** Returns a name for the file of an answer. */
export function fileNameOf({ question }) {
  const words = question.toLowerCase().normalize("NFC").match(/[\p{L}\p{N}]+/gu) ?? [];
  return `${words.join("-").slice(0, 60) || "answer"}.md`;
}
