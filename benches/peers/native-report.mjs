// The section of the page about embedding outside a browser.

import { ms, spread, table } from "./format.mjs";

export function nativeEmbedding(result) {
  if (!result) return null;
  const { passages, tokens, questionTokens, threads, rounds, instructions, load, ms: of, ratio } = result;
  const row = (what, ours, theirs, ratio) => [what, ms(of[ours]), ms(of[theirs]), spread(ratio, 2)];
  return `## Embedding outside a browser

The encoder of the command-line program beside onnxruntime, both with the same int8 model, in turn in one process; ${rounds} rounds after one that is not counted. ${passages} passages of
${tokens} tokens in batches of four, and a question of ${questionTokens}. On ${threads} threads, ours computes ${threads} batches side by side, and onnxruntime divides each operator among its intra-op threads, or runs a session on each;
a question is one batch, which ours computes on one thread. Ours uses the instructions of \`${instructions}\` on this machine. Written by \`cargo xtask bench native-embedding\`.${load > 0.7 ? ` The machine was busy: a load of ${load.toFixed(1)} at the start.` : ""}

${table(
    ["work", "vademecum", "onnxruntime", "faster by"],
    [
      row(`${passages} passages, one thread`, "passages, kernel, one", "passages, runtime, one", ratio.one),
      row(`${passages} passages, ${threads} threads`, "passages, kernel, all", "passages, runtime, all", ratio.all),
      row(`${passages} passages, ${threads} threads, a session of onnxruntime on each`, "passages, kernel, all", "passages, runtime, each", ratio.each),
      row("a question, one thread", "question, kernel, one", "question, runtime, one", ratio.question),
      row(`a question, onnxruntime on ${threads} threads`, "question, kernel, one", "question, runtime, all", ratio.questionAll),
    ],
  )}`;
}
