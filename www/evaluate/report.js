// What came of a comparison: in words, as a table, as drawings, and question by question.

import { h } from "../dom.js";
import { number, plural } from "../words.js";
import { matrix } from "./matrix.js";
import { bars, scatter } from "./plots.js";
import { compare, interval } from "./statistics.js";
import { isAgent } from "./strategies.js";
import { figure, share } from "./words.js";

/** Below it, an interval is so wide that little can be said. */
const FEW = 30;

const tokens = ({ metrics }) => metrics.promptTokens + metrics.completionTokens;

/** @param show opens what one way found for one question; `save` saves the whole */
export function reportNodes({ report, cases, byRule, sent }, { show, save }) {
  const { k, strategies } = report;
  const n = report.cases;
  const quality = ({ metrics }) => metrics[`ndcg@${k}`];
  const plots = [
    bars({ title: `Recall@${k}`, isShare: true, value: ({ metrics }) => metrics[`recall@${k}`] }, strategies, n),
    bars({ title: `nDCG@${k}`, isShare: true, value: quality }, strategies, n),
    bars({ title: "Citation precision", isShare: true, value: ({ metrics }) => metrics.citationPrecision }, strategies, n),
    bars({ title: "Milliseconds a question", value: ({ metrics }) => metrics.ms.mean }, strategies, n),
  ];
  const usesModel = strategies.some(({ metrics }) => metrics.llmCalls > 0);
  const scatters = [
    scatter({ title: `Quality against time`, cost: ({ metrics }) => metrics.ms.mean, costName: "ms", quality, qualityName: `nDCG@${k}` }, strategies),
    usesModel ? scatter({ title: `Quality against tokens`, cost: tokens, costName: "tokens", quality, qualityName: `nDCG@${k}` }, strategies) : null,
  ];
  return [
    h("div.report-head", {}, h("h2", { id: "report-title" }, "What came of it"), h("button", { type: "button", id: "save-report", onclick: save }, "Save as JSON")),
    h("div.words", {}, ...[...sentences(report, byRule), sent].map((text) => h("p", {}, text))),
    table(report),
    h("p.legend", {}, h("span.key", {}), "a single search ", h("span.key.agent", {}), "the agent ", h("span.key.whisker", {}), "where the true value lies, with 95 % confidence"),
    h("div.plots", {}, ...plots.filter(Boolean)),
    h("div.plots", {}, ...scatters.filter(Boolean)),
    matrix(report, cases, show),
  ];
}

function sentences({ strategies, k, cases: n, library }, byRule) {
  const name = `ndcg@${k}`;
  const best = (list) => list.reduce((best, one) => (one.metrics[name] > best.metrics[name] ? one : best));
  const said = [];
  const [single, agents] = [strategies.filter((one) => !isAgent(one.name)), strategies.filter((one) => isAgent(one.name))];
  if (single.length > 0 && agents.length > 0) said.push(duel(best(agents), best(single), name, n));
  else if (strategies.length > 1) {
    const first = best(strategies);
    said.push(`By nDCG@${k}, ${first.name} comes first. ${duel(first, best(strategies.filter((one) => one !== first)), name, n)}`);
  }
  const { low, high } = interval(0.8, n);
  said.push(`${plural(n, "question")} ${n < FEW ? `are few: a measured 0.80 could in truth be anything from ${share(low)} to ${share(high)}. Ask more before you decide.` : `leave room: a measured 0.80 stands for ${share(low)} to ${share(high)}.`}`);
  if (byRule > 0) said.push(`${byRule === n ? "The" : `${number(byRule)} of the`} questions ${byRule === 1 ? "was" : "were"} made of the documents by rule, from their own words: that favours search by words, and they are easier than people’s questions. Use them to compare, not to boast.`);
  if (library.embedded < library.chunks) said.push(`${number(library.chunks - library.embedded)} of ${number(library.chunks)} passages had no vector yet: search by meaning could not find those.`);
  const failed = strategies.filter(({ failures }) => failures.length > 0);
  for (const one of failed) said.push(`${one.name} failed ${plural(one.failures.length, "time")}, which counts as nothing found: ${one.failures[0].message}`);
  return said;
}

/** Two ways beside each other, on the same questions. */
function duel(ours, theirs, metric, n) {
  const values = ({ perCase }) => perCase.map(({ metrics }) => metrics[metric]);
  const { wins, losses, ties, chance } = compare(values(ours), values(theirs));
  if (wins + losses === 0) return `${ours.name} and ${theirs.name} rank the right documents alike on all ${n}.`;
  const verdict = chance < 0.05 ? "That is hardly chance" : "That may well be chance";
  const ratio = ours.metrics.ms.mean && theirs.metrics.ms.mean ? ours.metrics.ms.mean / theirs.metrics.ms.mean : null;
  const cost = ratio > 1.5 ? ` It takes ${figure(ratio)} times as long.` : "";
  return `${ours.name} ranks the right documents better than ${theirs.name} on ${wins} of ${n}, worse on ${losses}, alike on ${ties}. ${verdict} (sign test, p = ${chance.toFixed(2)}).${cost}`;
}

function table({ strategies, k }) {
  /** @type {[string, (one: any) => string][]} */
  const measures = [
    ["Recall@1", ({ metrics }) => share(metrics["recall@1"])],
    [`Recall@${k}`, ({ metrics }) => share(metrics[`recall@${k}`])],
    [`nDCG@${k}`, ({ metrics }) => share(metrics[`ndcg@${k}`])],
    [`MRR@${k}`, ({ metrics }) => share(metrics[`mrr@${k}`])],
    ["Citation precision", ({ metrics }) => share(metrics.citationPrecision)],
    ["F1", ({ metrics }) => share(metrics.f1)],
    ["Calls", ({ metrics }) => figure(metrics.llmCalls)],
    ["Tokens", (one) => figure(tokens(one))],
    ["ms", ({ metrics }) => figure(metrics.ms.mean)],
    ["ms, p95", ({ metrics }) => figure(metrics.ms.p95)],
    ["Failed", ({ failures }) => number(failures.length)],
  ];
  const columns = measures.filter(([name, read]) => name !== "F1" || strategies.some((one) => read(one) !== "–"));
  return h("div.table-scroll", { tabIndex: 0, role: "region", ariaLabel: "The measures as a table" },
    h("table.measures", {},
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Way"), ...columns.map(([name]) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, ...strategies.map((one) => h("tr", {}, h("th", { scope: "row" }, one.name), ...columns.map(([, read]) => h("td", {}, read(one))))))));
}
