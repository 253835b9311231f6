// Extracts the URLs of an answer as three Markdown renderers link them, with all their extensions for links.

import MarkdownIt from "markdown-it";
import { Marked } from "marked";
import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";

const it = new MarkdownIt({ html: true, linkify: true });
it.validateLink = () => true; // other renderers may accept what this one refuses
const marked = new Marked({ gfm: true });

export const RENDERERS = {
  "markdown-it": (text) => it.render(text),
  marked: (text) => marked.parse(text),
  micromark: (text) => micromark(text, { allowDangerousHtml: true, allowDangerousProtocol: true, extensions: [gfm()], htmlExtensions: [gfmHtml()] }),
};

const NAMED = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", "#39": "'" };
const decoded = (value) => value.replace(/&(amp|lt|gt|quot|apos|#39);/g, (_, name) => NAMED[name]);

/** Returns all URLs in attributes of rendered HTML, except references to footnotes within the text. */
export function leads(html) {
  const found = [];
  for (const [tag] of html.matchAll(/<[a-z][^>]*>/gi)) {
    for (const [, name, a, b, c] of tag.matchAll(/\s([a-z-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/gi)) {
      const value = decoded(a ?? b ?? c ?? "");
      if (/^(href|src|srcset|action|formaction|data|poster|background|xlink:href|style|on[a-z]+)$/i.test(name)) found.push(value);
    }
  }
  return found.filter((value) => !/^#(user-content-)?fn/.test(value));
}
