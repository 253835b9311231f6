// Measures how well a library answers questions with known relevant documents. Each way of asking is a strategy; the
// engine computes the metrics, with the same code as the project's own evaluation.

import { checkCases } from "./evaluation-cases.js";
import { aborted, invalid, VademecumError } from "./error.js";
import { EVALUATE_DEFAULTS, EVALUATE_OPTIONS, STYLES } from "./generated/evaluate-table.js";
import { checked, func, shown, text } from "./options.js";
import { unlessAborted } from "./wait.js";

const VERSION = 1;

/** Searches without an agent, and the options of each. */
const SEARCHES = { keyword: { mode: "keyword" }, vector: { mode: "vector" }, hybrid: { mode: "hybrid" }, hops: { mode: "hybrid", hops: "auto" } };
const DEFAULT = ["keyword", "vector", "hybrid", "pipeline"];

/** Chunks per search for each document that is considered, because several may be of the same one. */
const CHUNKS = { search: 10, run: 2 };

/**
 * @param kb the KnowledgeBase
 * @param engine calls the engine
 */
export async function evaluate(kb, engine, cases, options) {
  const given = { ...EVALUATE_DEFAULTS, ...checked("evaluate", options, EVALUATE_OPTIONS) };
  const { strategies = DEFAULT, agent, k, signal, onProgress = () => {} } = given;
  const stats = await engine("stats", {}, { signal });
  const names = stats.collections.map(({ name }) => name);
  const chosen = resolved(strategies, kb, agent, { k, names });
  const asked = await checkCases(cases, engine, names);
  // Otherwise the first question would include one-time loading.
  await kb.loadEmbedder({ signal }).catch((error) => error.code === "aborted" && Promise.reject(error));
  await kb.search(asked[0].question, { limit: 1, signal });
  const report = { version: VERSION, index: await kb.fingerprint(), k, cases: asked.length, library: sizeOf(stats), strategies: /** @type {any[]} */ ([]) };
  const progress = { done: 0, total: asked.length * chosen.length };
  for (const strategy of chosen) {
    const runs = [];
    for (const one of asked) {
      runs.push(await tried(strategy, one, signal));
      onProgress({ ...progress, done: ++progress.done, strategy: strategy.name });
    }
    report.strategies.push(await measured(strategy, asked, runs, k, engine));
  }
  return { ...report, plots: plots(report.strategies, k) };
}

const sizeOf = ({ documents, chunks, embedded }) => ({ documents, chunks, embedded });

/** Returns strategies as `{ name, run }`, or throws an error before anything runs. */
function resolved(strategies, kb, agent, { k, names }) {
  if (!Array.isArray(strategies) || strategies.length === 0) throw invalid("evaluate.strategies", "an array of strategies", shown(strategies));
  if (agent !== undefined && typeof agent.pipeline !== "function") throw invalid("evaluate.agent", "an Agent", shown(agent));
  const byName = {
    ...Object.fromEntries(Object.entries(SEARCHES).map(([name, how]) => [name, searching(kb, how, k)])),
    pipeline: (one, signal) => piped(kb, agent, one, { limit: CHUNKS.run * k, collections: one.collections ?? names }, signal),
  };
  const styles = STYLES.filter((name) => typeof agent?.[name] === "function");
  for (const name of styles) {
    byName[name] = (one, signal) => agent[name](one.question, { ...given({ collections: one.collections, filters: one.filters }), signal }).result;
  }
  const missing = STYLES.filter((name) => !styles.includes(name));
  const expected = `one of ${Object.keys(byName).join(", ")}, or { name, run }${missing.length > 0 ? ` (${missing.join(", ")} need an \`agent\` that has them)` : ""}`;
  const resolve = (strategy, at) => {
    if (typeof strategy === "string" && Object.hasOwn(byName, strategy)) return { name: strategy, run: byName[strategy] };
    if (typeof strategy !== "object" || strategy === null) throw invalid(`evaluate.strategies[${at}]`, expected, shown(strategy));
    const where = `evaluate.strategies[${at}]`;
    const { name, run } = checked(where, strategy, { name: text, run: func });
    text(`${where}.name`, name);
    func(`${where}.run`, run);
    return { name, run: async (one, signal) => run(one.question, { signal, ...given({ collections: one.collections, filters: one.filters }) }) };
  };
  const all = strategies.map(resolve);
  const twice = all.find(({ name }, at) => all.findIndex((other) => other.name === name) < at);
  if (twice) throw invalid("evaluate.strategies", "an array of strategies with different names", `one with two called \`${twice.name}\``);
  return all;
}

const given = (options) => Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

/** A search that fell back to keywords must not count as one with vectors. */
const searching = (kb, how, k) => async ({ question, collections, filters }, signal) => {
  const limit = CHUNKS.search * k;
  const found = await kb.search(question, given({ ...how, limit, collections, filters, signal }));
  if (found.mode === how.mode) return found;
  const why = found.degraded?.message ?? "The KnowledgeBase has no embedder.";
  throw new VademecumError(`The search had to do without vectors. ${why}`, { code: found.degraded?.code ?? "no_embedder" });
};

const STEPS = ["decompose", "search", "reason", "answer", "ground"];

/**
 * Answers with a typical pipeline. Without an agent it runs by rules and is sent to the engine as data, so that a page that
 * searches does not load `Agent` for this.
 */
function piped(kb, agent, { question, filters }, options, signal) {
  const all = given({ ...options, filters });
  if (!agent) return kb.runPipeline({ question, ...all, steps: STEPS.map((step) => ({ step })) }, { signal });
  return STEPS.reduce((pipeline, step) => pipeline[step](), agent.pipeline(question, all)).run({ signal }).result;
}

async function tried({ run }, one, signal = new AbortController().signal) {
  if (signal.aborted) throw aborted();
  const began = performance.now();
  const trial = { question: one.question, relevant: one.relevant, unanswerable: one.unanswerable, expectsRows: one.rows, answers: one.answers };
  try {
    const outcome = await unlessAborted(signal, Promise.resolve(run(one, signal)));
    // An aborted run resolves and reports it.
    if (signal.aborted) throw aborted();
    const ms = performance.now() - began;
    return { trial: { ...trial, ...costOf(outcome), ...seen(outcome), ms } };
  } catch (thrown) {
    if (signal.aborted) throw aborted();
    const ms = performance.now() - began;
    const { code = "internal", message = String(thrown), usage } = thrown ?? {};
    return { trial: { ...trial, ...costOf({ usage }), failed: true, ms }, failure: { question: one.question, code: String(code), message: String(message) } };
  }
}

/** Extracts hits, answer and citations from a search's response, a run's result, or the user's own object. */
function seen(outcome) {
  const { hits, evidence, results, contextUsed, answer, abstained, confidence, citations = [], output, error, usage } = outcome ?? {};
  if (error) throw Object.assign(new Error(error.message), { code: error.code, usage });
  const isRun = Array.isArray(contextUsed);
  const lists = hits ? [hits] : evidence ? [evidence] : results ? results.map(({ chunks }) => chunks) : isRun ? [contextUsed] : null;
  if (!lists?.every(Array.isArray)) throw wrong("{ hits } or { evidence }, a list of { docId }", outcome);
  return {
    rankings: lists.map((list) => list.map(ranked)),
    // A run without an answer has answered wrongly; searches are not expected to answer.
    answer: answer === undefined ? undefined : String(answer ?? ""),
    rows: (output?.documents ?? []).map(([, docId] = []) => idOf(docId)),
    abstained: abstained === true,
    confidence: Number.isFinite(confidence) ? confidence : undefined,
    citations: citations.map(({ docId, at }) => given({ docId: idOf(docId), at })),
  };
}

const ranked = (hit, at) => ({ id: String(hit?.id ?? `${hit?.docId}#${at}`), docId: idOf(hit?.docId), score: Number.isFinite(hit?.score) ? hit.score : 0 });

function idOf(docId) {
  if (typeof docId !== "string") throw wrong("hits, citations and rows with the id of their document, `docId`", docId);
  return docId;
}

const wrong = (expected, got) => new VademecumError(`A strategy's run must return ${expected}, but returned ${shown(got)}.`, { code: "function_result" });

const count = (value) => (Number.isSafeInteger(value) && value > 0 ? value : 0);
const costOf = (outcome) => ({
  llmCalls: count(outcome?.usage?.llmCalls),
  promptTokens: count(outcome?.usage?.promptTokens),
  completionTokens: count(outcome?.usage?.completionTokens),
});

async function measured({ name }, cases, runs, k, engine) {
  const { metrics, perCase } = await engine("measure", { k, runs: runs.map(({ trial }) => trial) });
  const ofCase = (one, at) => ({ question: cases[at].question, ...one, ...(runs[at].failure ? { failure: runs[at].failure.code } : {}) });
  return { name, metrics, perCase: perCase.map(ofCase), failures: runs.flatMap(({ failure }) => failure ?? []) };
}

/** Data for charts: title, unit, and a bar for each strategy with a known value. */
function plots(strategies, k) {
  const of = (title, unit, read) => {
    const bars = strategies.map((one) => ({ label: one.name, value: read(one) })).filter(({ value }) => typeof value === "number");
    return bars.length > 0 ? [{ title, unit, bars }] : [];
  };
  const share = (title, name) => of(title, "share", ({ metrics }) => metrics[name]);
  return [
    ...share(`Recall@${k}`, `recall@${k}`),
    ...share(`nDCG@${k}`, `ndcg@${k}`),
    ...share(`MRR@${k}`, `mrr@${k}`),
    ...share(`All relevant documents among the first ${k}`, `allSupport@${k}`),
    ...share("Citation precision", "citationPrecision"),
    ...share("Exact match", "exactMatch"),
    ...share("F1", "f1"),
    ...share("A right answer in the text", "goldInAnswer"),
    ...share("A right answer in the first sentence", "goldInFirstSentence"),
    ...share("Exactly the right rows", "exactRows"),
    ...share("Questions answered", "answered"),
    ...share("Unanswerable questions answered", "falseAnswers"),
    ...share("Unanswerable questions answered at 95 % kept", "falseAnswersAt95"),
    ...share("Area under the curve of abstaining", "abstentionArea"),
    ...of("LLM calls a question", "calls", ({ metrics }) => metrics.llmCalls),
    ...of("Tokens a question", "tokens", ({ metrics }) => metrics.promptTokens + metrics.completionTokens),
    ...of("Time a question", "ms", ({ metrics }) => metrics.ms.mean),
    ...of("Failed runs", "runs", ({ failures }) => failures.length),
  ];
}
