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

/** YAML at the very beginning, which is about the document. */
const FRONT_MATTER = /^---[ \t]*\r?\n([^]*?)\r?\n(?:---|\.\.\.)[ \t]*\r?\n/;

/** Its title is its first heading, where its text begins with one, or that of its front matter. */
export function readMarkdown({ id, name, bytes, encoding }) {
  const content = contentOf(bytes, encoding);
  const text = content.text?.slice(0, 4000).trimStart() ?? "";
  const [front = "", fields = ""] = FRONT_MATTER.exec(text) ?? [];
  const [first] = text.slice(front.length).trimStart().split("\n", 1);
  const heading = /^#\s/.test(first) && first.replace(/^#+|#+\s*$/g, "").trim();
  const named = /^title:[ \t]*(["']?)(.+?)\1[ \t]*$/m.exec(fields)?.[2];
  return { documents: [{ id, title: heading || named || name, format: "markdown", ...content }] };
}
