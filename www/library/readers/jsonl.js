// JSON Lines: an object a line, with `text` or without. `id`, `title`, `url` and `metadata` are what they are in the library;
// whatever else there is becomes metadata.

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
    if (seen.has(one.id)) throw new Error(`Line ${at + 1} has the id of an earlier one, “${one.id}”. Each needs its own.`);
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
    throw new Error(`Line ${at} is no JSON (${error.message}). Every line has to be one object, as in {"title": "…", "text": "…"}.`, { cause: error });
  }
  if (typeof record !== "object" || record === null || Array.isArray(record)) {
    throw new Error(`Line ${at} is no object. Every line has to be one, as in {"title": "…", "text": "…"}.`);
  }
  const { id: own, text, title, url, metadata, ...rest } = record;
  const values = { ...rest, ...(typeof metadata === "object" && !Array.isArray(metadata) ? metadata : {}) };
  return {
    id: own === undefined || own === null || own === "" ? `${id}#${at}` : `${id}#${own}`,
    title: typeof title === "string" && title ? title : (titleOf(rest) ?? `${name}, line ${at}`),
    ...(typeof url === "string" && { url }),
    format: "text",
    text: typeof text === "string" ? text : lines({ ...(title && { title }), ...values }),
    metadata: { file: name, ...values },
  };
}
