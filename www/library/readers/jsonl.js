// JSON Lines: one object per line, with or without `text`. `id`, `title`, `url` and `metadata` have the same meaning as in the library;
// all other fields become metadata.

import { lines, MOST, titleOf, tooMany } from "./records.js";
import { decoded } from "./text.js";

export function readJsonLines({ id, name, bytes, encoding }) {
  const text = decoded(bytes, encoding);
  if (text === null) return { documents: [{ id, title: name, format: "text", bytes }] };
  const documents = [];
  const seen = new Set();
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (!line.trim()) continue;
    const one = documentOf(line, { id, name, line: at + 1 });
    if (seen.has(one.id)) throw new Error(`Line ${at + 1} repeats the id “${one.id}”. Each line needs a unique one.`);
    seen.add(one.id);
    documents.push(one);
    if (documents.length > MOST) throw tooMany(documents.length);
  }
  if (documents.length === 0) throw new Error("It is empty.");
  return { documents };
}

function documentOf(line, { id, name, line: at }) {
  let record;
  try {
    record = JSON.parse(line);
  } catch (error) {
    throw new Error(`Line ${at} is not JSON (${error.message}). Every line must be one object, as in {"title": "…", "text": "…"}.`, { cause: error });
  }
  if (typeof record !== "object" || record === null || Array.isArray(record)) {
    throw new Error(`Line ${at} is not an object. Every line must be one, as in {"title": "…", "text": "…"}.`);
  }
  const { id: own, text, title, url, metadata, ...rest } = record;
  const values = { ...rest, ...(typeof metadata === "object" && !Array.isArray(metadata) ? metadata : {}) };
  return {
    id: own === undefined || own === null || own === "" ? `${id}#${at}` : `${id}#${own}`,
    title: typeof title === "string" && title ? title : (titleOf(rest) ?? `${name}, line ${at}`),
    ...(typeof url === "string" && { url }),
    format: "text",
    text: typeof text === "string" ? text : lines(Object.entries({ ...(title && { title }), ...values })),
    metadata: { file: name, ...values },
  };
}
