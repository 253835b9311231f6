// Compares the type declarations with the program: exports, members, options and accepted values.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import ts from "typescript";
import { Conversation } from "../../../crates/web/js/conversation.js";
import { Agent, Embedder, Reader, Reranker } from "../../../crates/web/js/index.js";
import { atOnce } from "../../../crates/web/js/at-once.js";
import { attach } from "../../../crates/web/js/parts.js";
import { AttachedLibrary } from "../../../crates/web/js/parts/library.js";
import { knowledgeBaseClass } from "../../../crates/web/js/knowledge-base.js";
import { spans, trace } from "../../../crates/web/js/otel.js";
import { Pipeline } from "../../../crates/web/js/pipeline.js";
import { searchers } from "../../../crates/web/js/searcher.js";
import { Run } from "../../../crates/web/js/run.js";
import { adversarial } from "../../../crates/web/js/testing.js";
import { isValue, read } from "../support/api.mjs";

/** Programs and their types as the package's manifest pairs them. The types of the wasm module are compared with the generated ones. */
const manifest = JSON.parse(await readFile(new URL("../../../pkg.json.template", import.meta.url), "utf8"));
const pairs = Object.values(manifest.exports).filter(({ types }) => types && !["./wasm.d.ts", "./worker.d.ts", "./preload.d.ts"].includes(types));
const ENTRIES = Object.fromEntries(pairs.map((entry) => [entry.default.slice(2), entry.types.slice(2)]));
const types = read([...new Set(Object.values(ENTRIES)), ...Object.keys(ENTRIES)]);
assert.equal(Object.keys(ENTRIES).length, 14);
const symbols = new Map(["index.d.ts", "testing.d.ts", "otel.d.ts", "parts.d.ts"].flatMap((file) => types.exportsOf(file)).map(({ name, symbol }) => [name, symbol]));

const sorted = (list) => [...list].sort();
/** The compiler's names of members with well-known symbols, such as `__@dispose@41`. */
const named = (name) => name.replace(/^__@(\w+)@\d+$/, "Symbol.$1");
const symbolOf = (key) => `Symbol.${Object.getOwnPropertyNames(Symbol).find((name) => Symbol[name] === key)}`;
const own = (object) => Reflect.ownKeys(object).map((key) => (typeof key === "symbol" ? symbolOf(key) : key));

for (const [program, file] of Object.entries(ENTRIES)) {
  test(`${program} exports what its types say, and nothing else`, () => {
    const told = types.exportsOf(file).filter(({ symbol }) => isValue(symbol)).map(({ name }) => name);
    assert.ok(told.length > 0);
    assert.deepEqual(sorted(types.exportsOf(program).map(({ name }) => name)), sorted(told));
  });
}

/** Members for `Agent` only, which the public types leave out. */
const BETWEEN_OURSELVES = { KnowledgeBase: ["expectRun", "reranker", "runPipeline", "thread", "toolSchema"], Pipeline: ["steps"] };
const engine = { call: async (method) => (method === "stats" ? { collections: [] } : {}), terminate: () => {} };
const KnowledgeBase = knowledgeBaseClass(() => engine, atOnce);

for (const [name, Class] of Object.entries({ KnowledgeBase, Agent, Pipeline, Conversation, Run })) {
  test(`${name} has the members that its type says, and no others`, () => {
    const hidden = ["constructor", "length", "name", "prototype", ...(BETWEEN_OURSELVES[name] ?? [])];
    const statics = types.checker.getPropertiesOfType(types.checker.getTypeOfSymbol(symbols.get(name)));
    const members = symbols.get(name).flags & ts.SymbolFlags.Class ? [...types.membersOf(symbols.get(name)), ...statics] : types.membersOf(symbols.get(name));
    const told = members.map((member) => named(member.name)).filter((member) => !hidden.includes(member));
    const fields = { Run: ["result"], Conversation: ["subscribe"] }[name] ?? [];
    const real = [...own(Class.prototype), ...own(Class), ...fields].filter((member) => !hidden.includes(member));
    assert.deepEqual(sorted(real), sorted(told));
  });
}

const kb = await KnowledgeBase.memory();
const reader = { call: async () => ({ embedder: null }), terminate: () => {} };
const library = await AttachedLibrary.attach(async () => () => reader, async () => assert.fail("there is no embedder"), "http://a.test/m.json");
const agent = new Agent(kb);
const pipeline = agent.pipeline("q");
const run = { result: Promise.resolve(), async *[Symbol.asyncIterator]() {} };

/** Every call that takes options, by the type of the options. */
const CALLS = {
  MemoryOptions: [(options) => KnowledgeBase.memory(options)],
  OpenOptions: [(options) => KnowledgeBase.open("a", options)],
  OwnWorkers: [(workers) => KnowledgeBase.memory({ workers })],
  OnnxOptions: [(options) => Embedder.onnx(options)],
  PairModelOptions: [(options) => Reranker.onnx(options), (options) => Reader.onnx(options)],
  CustomEmbedderOptions: [(options) => Embedder.custom(() => [], options)],
  WorkOptions: [(options) => kb.loadEmbedder(options), (options) => kb.embedPending(options), (options) => kb.add([], options)],
  ImportOptions: [(options) => kb.import(new Uint8Array(), options)],
  CollectionOptions: [(options) => kb.collection("a", options)],
  SearchOptions: [(options) => kb.search("q", options)],
  RemoteOptions: [(options) => kb.attach("a", { search() {} }, options)],
  ChromaOptions: [(options) => searchers(async () => {}).chroma(options)],
  ListOptions: [(options) => kb.documents(options)],
  FacetOptions: [(options) => kb.facets("a", options)],
  VectorsOptions: [(options) => kb.vectors(options)],
  EvaluateOptions: [(options) => kb.evaluate([], options)],
  Strategy: [(strategy) => kb.evaluate([], { strategies: [strategy] })],
  MakeCasesOptions: [(options) => kb.makeCases(options)],
  AgentOptions: [(options) => new Agent(kb, options)],
  PipelineOptions: [(options) => agent.pipeline("q", options)],
  Budget: [(budget) => agent.pipeline("q", { budget })],
  Turn: [(turn) => agent.pipeline("q", { history: [turn] })],
  StepOptions: ["gate", "rewrite", "expand"].map((step) => (options) => pipeline[step](options)),
  SelectOptions: ["select", "route"].map((step) => (options) => pipeline[step](options)),
  DecomposeOptions: [(options) => pipeline.decompose(options)],
  SearchStepOptions: [(options) => pipeline.search(options)],
  RerankOptions: [(options) => pipeline.rerank(options)],
  ReasonOptions: [(options) => pipeline.reason(options)],
  AnswerOptions: [(options) => pipeline.answer(options)],
  GroundOptions: [(options) => pipeline.ground(options)],
  RunStart: [(options) => pipeline.run(options)],
  ReactOptions: [(options) => agent.react("q", options)],
  InvestigateOptions: [(options) => agent.investigate("q", options)],
  GraphOptions: [(options) => agent.graph("q", options)],
  ResumeOptions: [(options) => agent.resume({}, "a", options)],
  Tool: [(tool) => agent.tool(tool)],
  ConversationOptions: [(options) => agent.conversation(options)],
  AttachOptions: [(options) => attach("/m.json", options)],
  AttachedSearchOptions: [(options) => library.search("q", options)],
  SpanOptions: [(options) => spans([], options)],
  TraceOptions: [(options) => trace(run, { startActiveSpan() {} }, options)],
  AdversarialOptions: [(options) => adversarial(1, options)],
};

/** Returns the error that a call is rejected with. */
async function refusal(call, ...given) {
  try {
    await call(...given);
  } catch (error) {
    return error;
  }
  return assert.fail("it was not refused");
}

for (const [name, calls] of Object.entries(CALLS)) {
  test(`the options that are taken are those of ${name}`, async () => {
    const told = types.membersOf(symbols.get(name)).map((member) => member.name);
    for (const call of calls) {
      const { code, message } = await refusal(call, { "?": 1 });
      assert.equal(code, "invalid_argument");
      const [, taken] = message.match(/ takes (.+), but was given `\?`\.$/) ?? assert.fail(message);
      assert.deepEqual(sorted(taken.split(", ")), sorted(told));
    }
  });
}

test("every options type is tried with a call", () => {
  const bases = ["RunOptions", "StyleRunOptions", "AskOptions", "StyleOptions", "VectorSearchOptions"];
  const options = [...symbols.keys()].filter((name) => name.endsWith("Options") && !bases.includes(name));
  assert.deepEqual(options.filter((name) => !(name in CALLS)), []);
});

test("a misspelt option is refused with the nearest name", async () => {
  const { message } = await refusal((options) => kb.search("q", options), { limt: 3 });
  assert.match(message, /^`search` takes .+, but was given `limt`\. Did you mean `limit`\?$/);
  assert.match((await refusal((options) => agent.react("q", options), { maxiterations: 3 })).message, /Did you mean `maxIterations`\?$/);
  assert.doesNotMatch((await refusal((options) => kb.search("q", options), { colour: 3 })).message, /Did you mean/);
});

/** Returns the literals of a union type. */
const values = (name) => /** @type {any} */ (types.checker.getDeclaredTypeOfSymbol(symbols.get(name))).types.map(({ value }) => value);
const quoted = (message) => message.match(/must be (.+), but was/)[1].match(/"[^"]+"/g).map((text) => JSON.parse(text));

test("enumerated values are those of their type", async () => {
  assert.deepEqual(sorted(quoted((await refusal(() => new Agent(kb, { capability: "?" }))).message)), sorted(values("Capability")));
  const strategies = (await refusal(() => kb.evaluate([], { strategies: ["?"], agent }))).message.match(/one of (.+), or \{/)[1].split(", ");
  assert.deepEqual(sorted(strategies), sorted(values("StrategyName")));
  assert.deepEqual(sorted(adversarial().kinds), sorted(values("AdversarialKind")));
  const operators = (await readFile(new URL("../../../crates/index/src/filter/operator.rs", import.meta.url), "utf8")).match(/const NAMES: &str = "(.+)";/)[1].split(", ");
  assert.deepEqual(sorted(operators), sorted(values("FilterOperator")));
});

test("error codes are those of the README's table", async () => {
  const readme = await readFile(new URL("../../../README.md", import.meta.url), "utf8");
  const table = readme.split("| code |")[1].split("\n\n")[0];
  assert.deepEqual(sorted([...table.matchAll(/^\| `(\w+)`/gm)].map(([, code]) => code)), sorted(values("ErrorCode")));
});

test("every public member has a comment with a sentence", () => {
  const silent = [];
  for (const file of ["index.d.ts", "testing.d.ts", "otel.d.ts", "parts.d.ts", "wasm.d.ts"]) {
    for (const { name, symbol } of read([file]).exportsOf(file)) {
      const [declaration] = symbol.declarations;
      const isPrivate = (member) => ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Private;
      const members = (declaration.members ?? []).filter((member) => !isPrivate(member));
      for (const one of [declaration, ...members]) {
        const node = ts.isVariableDeclaration(one) ? one.parent.parent : one;
        if (ts.getJSDocCommentsAndTags(node).length === 0) silent.push(`${name}.${one.name?.getText() ?? ""}`);
      }
    }
  }
  assert.deepEqual(silent, []);
});

/** Terms of Rust and its libraries, which error messages for users of JavaScript must not contain. */
const RUST = /\b(usize|u32|u64|i64|f32|f64|struct|sequence|expected (a )?map|invalid (type|value|length)|Option<|Vec<|HashMap|serde|undefined field)\b|variant/;

/** Values of every kind, by the names that `kindsOf` returns. */
const VALUES = {
  string: ["", " ", "5", "many words"],
  number: [0, -1, 1.5, NaN, Infinity, 1e12, 5],
  boolean: [true, false],
  array: [[], [1], [null], [undefined], [{}]],
  function: [() => {}],
  object: [{}, { a: 1 }, new Map(), new Date(), new Uint8Array(2)],
  other: [Symbol("a"), 5n],
};

/** Returns the kinds of values that a type allows. */
function kindsOf(type) {
  if (type.isUnion()) return type.types.flatMap(kindsOf);
  const { flags } = type;
  if (flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return Object.keys(VALUES);
  if (flags & ts.TypeFlags.StringLike) return ["string"];
  if (flags & ts.TypeFlags.NumberLike) return ["number"];
  if (flags & ts.TypeFlags.BooleanLike) return ["boolean"];
  if (flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Null)) return [];
  if (types.checker.isArrayType(type) || types.checker.isTupleType(type)) return ["array"];
  return type.getCallSignatures().length > 0 ? ["function"] : ["object"];
}

const typeOf = (member) => types.checker.getTypeOfSymbol(member);

for (const [name, calls] of Object.entries(CALLS)) {
  test(`a value that ${name} does not have is refused by its option's name, in words of JavaScript`, async () => {
    for (const member of types.membersOf(symbols.get(name))) {
      const kinds = kindsOf(typeOf(member));
      for (const [kind, values] of Object.entries(VALUES).filter(([kind]) => !kinds.includes(kind))) {
        for (const [value, call] of values.flatMap((value) => calls.map((call) => [value, call]))) {
          const error = await refusal(call, { [member.name]: value });
          const what = `${name}.${member.name}, given ${kind} ${String(typeof value === "object" ? JSON.stringify(value) : String(value))}: ${error.message}`;
          assert.equal(error.code, "invalid_argument", what);
          assert.ok(error.message.includes(member.name), what);
          assert.doesNotMatch(error.message, RUST, what);
          assert.doesNotMatch(error.message, /\.\.$/, what);
        }
      }
      // Every numeric option of a call has a range.
      if (!kinds.includes("number") || kinds.includes("object")) continue;
      for (const call of calls) assert.equal((await refusal(call, { [member.name]: NaN })).code, "invalid_argument", `${name}.${member.name}: NaN`);
    }
  });
}

test("nested options are checked as well, with their full path", async () => {
  const search = (options) => kb.search("q", options);
  const refused = [
    [() => search({ limit: "5" }), "`search.limit` must be a whole number from 1 to 10,000, but was the string \"5\"."],
    [() => search({ limit: 0 }), "`search.limit` must be a whole number from 1 to 10,000, but was 0."],
    [() => search({ limit: 1e9 }), "`search.limit` must be a whole number from 1 to 10,000, but was 1000000000."],
    [() => search({ weights: { keyword: "1" } }), "`search.weights.keyword` must be a number from 0, but was the string \"1\"."],
    [() => search({ weights: { vector: -1 } }), "`search.weights.vector` must be a number from 0, but was -1."],
    [() => search({ collections: ["a", 5] }), "`search.collections[1]` must be a non-empty string, but was 5."],
    [() => search({ filters: { a: [{ b: NaN }] } }), "`search.filters.a[0].b` must be neither undefined nor NaN (`null` finds documents without the field), but was NaN."],
    [() => kb.search({ q: 1 }), "`query` must be a string, but was an object."],
    [() => kb.search(), "`query` must be a string, but was undefined."],
    [() => kb.facets(5), "`field` must be a string, but was 5."],
    [() => kb.remove("a", "b"), '`ids` must be an array of document ids, but was the string "b".'],
    [() => kb.remove(["a", 5]), "`ids[1]` must be a string, but was 5."],
    [() => kb.document("a", 5), "`id` must be a string, but was 5."],
    [() => kb.add(5, []), "`collection` must be a string, but was 5."],
    [() => kb.add("notes"), '`documents` must be a document such as { id, text }, or an array of documents, but was the string "notes".'],
    [() => kb.add([{ text: "a" }]), "`documents[0].id` must be a non-empty string, but was undefined."],
    [() => kb.add([{ id: "a", bytes: "b" }]), '`documents[0].bytes` must be a Uint8Array, an ArrayBuffer, a Blob or a File, but was the string "b".'],
    [() => kb.add([{ id: "a", bytes: () => {} }]), "`documents[0].bytes` must be a Uint8Array, an ArrayBuffer, a Blob or a File, but was a function."],
    [() => kb.add([{ id: "a", metadata: { b: [{ c: () => {} }] } }]), "`documents[0].metadata.b[0].c` must be plain data, but was a function."],
    [() => kb.add([new Blob(["a"])]), "`documents[0]` must be a document such as { id: file.name, bytes: file }, but was an instance of Blob."],
    [() => new KnowledgeBase(), "A KnowledgeBase is made by `await KnowledgeBase.open(name)` or `await KnowledgeBase.memory()`, not by `new`."],
  ];
  for (const [call, message] of /** @type {[() => unknown, string][]} */ (refused)) {
    const error = await refusal(async () => call());
    assert.deepEqual([error.message, error.code], [message, "invalid_argument"]);
  }
});

test("suggested names are common alternatives, and never another word", async () => {
  const suggested = async (call, name) => (await refusal(call, { [name]: 1 })).message.match(/Did you mean `(\w+)`\?$/)?.[1];
  const search = (options) => kb.search("q", options);
  for (const name of ["topK", "top_k", "k", "n", "size", "count", "maxResults", "lmit", "limits", "ilmit"]) assert.equal(await suggested(search, name), "limit", name);
  for (const name of ["filter", "where", "fliters"]) assert.equal(await suggested(search, name), "filters", name);
  for (const name of ["xy", "zzzz", "colour", "stop", "wait"]) assert.equal(await suggested(search, name), undefined, name);
  assert.equal(await suggested((options) => agent.react("q", options), "top_k"), "topK");
  assert.equal(await suggested((document) => kb.add([{ id: "a", ...document }]), "content"), "text");
});
