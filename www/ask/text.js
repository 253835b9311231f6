// An answer's text, with its citations to open, and with the sentences marked that nothing supports. What a model wrote is Markdown;
// what is quoted stands as it does in its document.

import { h, pathOf } from "../dom.js";
import { markdownNodes } from "./markdown-nodes.js";

/** @param answered `{ answer, answeredBy?, citations, grounding? }`: a result, or a turn of a conversation */
export function answerText({ answer, answeredBy, citations = [], grounding = [] }, open) {
  const lacking = unsupported(grounding);
  const between = (from, to) => {
    const parts = [];
    let at = from;
    for (const citation of citations.filter((one) => one.at.start >= from && one.at.end <= to)) {
      parts.push(answer.slice(at, citation.at.start), citationButton(citation, open));
      at = citation.at.end;
    }
    return [...parts, answer.slice(at, to)];
  };
  const leaf = (from, to) => {
    const parts = [];
    let at = from;
    for (const sentence of lacking) {
      const [start, end] = [Math.max(sentence.at.start, at), Math.min(sentence.at.end, to)];
      if (start >= end) continue;
      const title = "Nothing that was found supports this sentence";
      parts.push(...between(at, start), h("span.unsupported", { title }, ...between(start, end)));
      at = end;
    }
    return [...parts, ...between(at, to)];
  };
  return answeredBy === "llm" ? markdownNodes(answer, leaf, citations.map(({ at }) => at)) : leaf(0, answer.length);
}

export const unsupported = (grounding = []) => grounding.filter(({ supported }) => !supported);

export const sourceOf = (citation) => [...pathOf(citation), ...(citation.page ? [`page ${citation.page}`] : [])].join(" › ");

/** Each passage that is cited, once, in the order of their numbers. */
export function sourceList(citations, open) {
  const cited = [...new Map(citations.map((citation) => [citation.number, citation])).values()];
  cited.sort((a, b) => a.number - b.number);
  return cited.map((citation) =>
    h("li", {}, h("button", { type: "button", onclick: () => open(citation) }, h("span.number", {}, String(citation.number)), h("span", {}, sourceOf(citation)))),
  );
}

function citationButton(citation, open) {
  const label = `Source ${citation.number}: ${sourceOf(citation)}`;
  return h("button.cite", { type: "button", title: sourceOf(citation), ariaLabel: label, onclick: () => open(citation) }, String(citation.number));
}
