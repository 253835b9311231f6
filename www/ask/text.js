// An answer's text, with its citations to open, and with the sentences marked that nothing supports.

import { h, pathOf } from "../dom.js";

/** @param answered `{ answer, citations, grounding? }`: a result, or a turn of a conversation */
export function answerText({ answer, citations = [], grounding = [] }, open) {
  const between = (from, to) => {
    const parts = [];
    let at = from;
    for (const citation of citations.filter((one) => one.at.start >= from && one.at.end <= to)) {
      parts.push(answer.slice(at, citation.at.start), citationButton(citation, open));
      at = citation.at.end;
    }
    return [...parts, answer.slice(at, to)];
  };
  const parts = [];
  let at = 0;
  for (const sentence of unsupported(grounding)) {
    if (sentence.at.start < at) continue;
    const title = "Nothing that was found supports this sentence";
    parts.push(...between(at, sentence.at.start), h("span.unsupported", { title }, ...between(sentence.at.start, sentence.at.end)));
    at = sentence.at.end;
  }
  return [...parts, ...between(at, answer.length)];
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
