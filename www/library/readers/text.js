// Text and Markdown, and what the other readers of text need.

const UTF_16 = { "255,254": "utf-16le", "254,255": "utf-16be" };

/** The text of a file: UTF-8, UTF-16 where the file's mark says so, or the encoding named; null where it is none of these. */
export function decoded(bytes, encoding) {
  const marked = UTF_16[bytes.subarray(0, 2).join()];
  try {
    return new TextDecoder(encoding ?? marked ?? "utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** A file whose encoding is not known goes on as bytes: the engine says where they are no text, and what they look like. */
const contentOf = (bytes, encoding) => {
  const text = decoded(bytes, encoding);
  return text === null ? { bytes } : { text };
};

export const readText = ({ id, name, bytes, encoding }) => ({ documents: [{ id, title: name, format: "text", ...contentOf(bytes, encoding) }] });

/** Its first heading is its title, where it begins with one. */
export function readMarkdown({ id, name, bytes, encoding }) {
  const content = contentOf(bytes, encoding);
  const [first] = content.text?.slice(0, 2000).trimStart().split("\n", 1) ?? [""];
  const title = /^#\s/.test(first) ? first.replace(/^#+|#+\s*$/g, "").trim() || name : name;
  return { documents: [{ id, title, format: "markdown", ...content }] };
}
