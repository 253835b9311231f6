// Text and Markdown, and helpers for other text readers.

const UTF_16 = { "255,254": "utf-16le", "254,255": "utf-16be" };

/** Returns the text of a file: UTF-8, UTF-16 if the file has a byte order mark, or the given encoding; null for anything else. */
export function decoded(bytes, encoding) {
  const marked = UTF_16[bytes.subarray(0, 2).join()];
  try {
    return new TextDecoder(encoding ?? marked ?? "utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Files of unknown encoding are passed on as bytes: the engine reports the invalid position and the likely format. */
const contentOf = (bytes, encoding) => {
  const text = decoded(bytes, encoding);
  return text === null ? { bytes } : { text };
};

export const readText = ({ id, name, bytes, encoding }) => ({ documents: [{ id, title: name, format: "text", ...contentOf(bytes, encoding) }] });

/** YAML front matter at the beginning of the file. */
const FRONT_MATTER = /^---[ \t]*\r?\n([^]*?)\r?\n(?:---|\.\.\.)[ \t]*\r?\n/;

/** Returns the title: the first heading, if the text starts with one, or that of the front matter. */
export function readMarkdown({ id, name, bytes, encoding }) {
  const content = contentOf(bytes, encoding);
  const text = content.text?.slice(0, 4000).trimStart() ?? "";
  const [front = "", fields = ""] = FRONT_MATTER.exec(text) ?? [];
  const [first] = text.slice(front.length).trimStart().split("\n", 1);
  const heading = /^#\s/.test(first) && first.replace(/^#+|#+\s*$/g, "").trim();
  const named = /^title:[ \t]*(["']?)(.+?)\1[ \t]*$/m.exec(fields)?.[2];
  return { documents: [{ id, title: heading || named || name, format: "markdown", ...content }] };
}
