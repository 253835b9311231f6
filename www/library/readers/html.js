// HTML: the engine extracts the text; nothing of it is executed.

import { decoded } from "./text.js";

export function readHtml({ id, name, bytes, encoding }) {
  const text = decoded(bytes, encoding) ?? decoded(bytes, declared(bytes));
  if (text === null) return { documents: [{ id, title: name, format: "html", bytes }] };
  // Only the title is parsed here, and never shown as HTML.
  const [title = ""] = /<title[^>]{0,200}>[^<]{0,1000}/i.exec(text.slice(0, 100_000)) ?? [];
  return { documents: [{ id, title: new DOMParser().parseFromString(title, "text/html").title.trim() || name, format: "html", text }] };
}

/** Returns the encoding that a page declares, if the browser supports it; otherwise UTF-8. */
function declared(bytes) {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 1024));
  const label = /<meta[^>]+charset\s*=\s*["']?([\w-]+)/i.exec(head)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return "utf-8";
  }
}
