// What a document is about, without a model: its first sentence, its headings, and the columns of the table that it is a row of.

/** Longer sentences are cut. */
const MOST = 220;
const NOT_A_COLUMN = ["type", "file", "folder", "path", "sheet", "table"];

/**
 * @param {{ text: string, title?: string | null, metadata?: Record<string, any>, chunks: { headings: string[], text?: string }[] }} document
 * @returns {{ sentence: string, headings: string[], columns: string[], words: number, pages: number }}
 */
export function overviewOf({ text, title, metadata = {}, chunks }) {
  const isRow = metadata.file !== undefined;
  const all = [...new Set(chunks.flatMap(({ headings }) => headings))].filter((heading) => heading.toLowerCase() !== (title ?? "").toLowerCase());
  return {
    sentence: isRow || metadata.type === "code" ? "" : firstSentence(text, new Set([...all, title ?? ""])),
    headings: isRow ? [] : all,
    columns: isRow ? Object.keys(metadata).filter((name) => !NOT_A_COLUMN.includes(name)) : [],
    words: text.match(/[\p{L}\p{N}]+(?:['’.-][\p{L}\p{N}]+)*/gu)?.length ?? 0,
    pages: text.includes("\f") ? text.split("\f").length : 0,
  };
}

/** Returns the first sentence of running text; empty where there is none, as in lists and tables. */
function firstSentence(text, headings) {
  const beginning = text.slice(0, 4000).replace(/^---\r?\n[^]*?\r?\n---\r?\n/, "").replace(/^(```|~~~)[^]*?^\1/gm, "");
  for (const paragraph of beginning.split(/\n\s*\n|\f/)) {
    const own = paragraph.replace(/\s+/g, " ").replace(/[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}/g, "").trim();
    if (/^([#<=!>|]|[-*+] |\d+[.)] )/.test(own) || / \| /.test(own) || headings.has(own)) continue;
    // A full stop behind a single letter or a number abbreviates.
    const [sentence = own] = /^.*?(?<![ (]\p{L}|\d)[.!?…]["”’)]?(?= [\p{Lu}\p{N}"“„(]|$)/u.exec(own) ?? [];
    if (own.split(" ").length < 5 || !/[.!?…:]["”’)]?$/.test(own)) continue;
    return sentence.length > MOST ? `${sentence.slice(0, sentence.lastIndexOf(" ", MOST))}…` : sentence;
  }
  return "";
}
