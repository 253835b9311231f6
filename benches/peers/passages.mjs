// A labelled set in the layout of BEIR: corpus.jsonl, queries.jsonl, qrels/test.tsv.

import fs from "node:fs";
import path from "node:path";

export const LIMIT = 10;

const lines = (file) => fs.readFileSync(file, "utf8").trim().split("\n");

/** Passages, some of the questions spread over all, and for each the numbers of the passages that answer it. */
export function labelled(folder, wanted = Infinity) {
  const read = (name) => lines(path.join(folder, name)).map((line) => JSON.parse(line));
  const documents = read("corpus.jsonl");
  const numbers = new Map(documents.map(({ _id }, at) => [_id, at]));
  const relevant = new Map();
  for (const line of lines(path.join(folder, "qrels/test.tsv")).slice(1)) {
    const [query, document, score] = line.split("\t");
    if (Number(score) <= 0) continue;
    if (!relevant.has(query)) relevant.set(query, new Set());
    relevant.get(query).add(numbers.get(document));
  }
  const questions = read("queries.jsonl")
    .filter(({ _id }) => relevant.has(_id))
    .map(({ _id, text, metadata }) => ({ text, set: metadata?.set ?? "all", relevant: relevant.get(_id) }));
  const step = Math.max(1, questions.length / wanted);
  return {
    texts: documents.map(({ title, text }) => (title ? `${title}\n${text}` : text)),
    questions: Array.from({ length: Math.min(wanted, questions.length) }, (_, at) => questions[Math.floor(at * step)]),
  };
}

/** The first two long words of a question: what one types into a search box. */
export const twoWords = (question) => question.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 4).slice(0, 2).join(" ");

/** Normalised discounted cumulative gain of one ranking, all relevant passages being equally so. */
export function ndcg(ids, relevant) {
  const discount = (rank) => 1 / Math.log2(rank + 2);
  const gained = Array.from(ids).slice(0, LIMIT).reduce((sum, id, rank) => sum + (relevant.has(id) ? discount(rank) : 0), 0);
  let most = 0;
  for (let rank = 0; rank < Math.min(LIMIT, relevant.size); rank++) most += discount(rank);
  return gained / most;
}
