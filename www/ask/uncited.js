// Answers without their citations, for where the sources of these are not known.

/**
 * Returns the answer of a turn of the history without its citations, each with the space before it. Anything else in brackets stays, such as an index in code.
 *
 * @param {{ question: string, answer: string }} said
 * @param {readonly { question: string, answer: string, citations?: { at: { start: number, end: number } }[] }[]} turns those with citations
 */
export function uncited({ question, answer }, turns) {
  const turn = turns.findLast((one) => one.question === question && one.answer === answer);
  const places = (turn?.citations ?? []).map(({ at }) => at).sort((a, b) => a.start - b.start);
  let text = "";
  let from = 0;
  for (const { start, end } of places) {
    if (start < from) continue; // several citations may share a place
    const before = answer.slice(from, start);
    text += before.endsWith(" ") ? before.slice(0, -1) : before;
    from = end;
  }
  return text + answer.slice(from);
}
