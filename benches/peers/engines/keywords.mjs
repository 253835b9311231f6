// Each keyword engine behind the same few functions: build, search, ids, save (text or bytes) and load. Each of the peers comes
// as its documentation shows it first; those that can be told have a second form, "tuned", with our stop words and stemming.

import { LIMIT } from "../passages.mjs";
import { STOP_WORDS, term } from "../english.mjs";

export function vademecum(module) {
  let index;
  return {
    build(texts) {
      index?.free();
      index = new module.KeywordIndex("english");
      index.add(texts);
      index.build();
    },
    search: (query) => index.search(query, LIMIT),
    ids: (answer) => answer.ids,
    save: () => index.save(),
    load: (bytes) => module.KeywordIndex.load(bytes),
  };
}

const minisearch = (options) => async () => {
  const { default: MiniSearch } = await import("minisearch");
  const all = { fields: ["text"], ...options };
  let index;
  return {
    build(texts) {
      index = new MiniSearch(all);
      index.addAll(texts.map((text, id) => ({ id, text })));
    },
    search: (query) => index.search(query),
    ids: (answer) => answer.map(({ id }) => id),
    save: () => JSON.stringify(index),
    load: (text) => MiniSearch.loadJSON(text, all),
  };
};

async function lunr() {
  const { default: lunr } = await import("lunr");
  let index;
  return {
    build(texts) {
      index = lunr(/** @this {any} */ function () {
        this.ref("id");
        this.field("text");
        texts.forEach((text, id) => this.add({ id, text }));
      });
    },
    // Its query language would read these signs as operators.
    query: (text) => text.replace(/[:~^*+"-]/g, " "),
    search: (query) => index.search(query),
    ids: (answer) => answer.map(({ ref }) => Number(ref)),
    save: () => JSON.stringify(index),
    load: (text) => lunr.Index.load(JSON.parse(text)),
  };
}

const flexsearch = (options) => async () => {
  const { Index, Encoder } = await import("flexsearch");
  const make = () => new Index(options?.(Encoder) ?? {});
  let index;
  return {
    build(texts) {
      index = make();
      texts.forEach((text, id) => index.add(id, text));
    },
    // Without `suggest` a passage must hold every word of the question.
    search: (query) => index.search(query, { limit: LIMIT, suggest: true }),
    ids: (answer) => answer,
    save() {
      const parts = {};
      index.export((key, value) => (parts[key] = value));
      return JSON.stringify(parts);
    },
    load(text) {
      const loaded = make();
      for (const [key, value] of Object.entries(JSON.parse(text))) loaded.import(key, value);
      return loaded;
    },
  };
};

const orama = (options) => async () => {
  const module = await import("@orama/orama");
  const make = () => module.create({ schema: { text: "string" }, ...options });
  let db;
  return {
    async build(texts) {
      db = make();
      await module.insertMultiple(db, texts.map((text, id) => ({ id: String(id), text })), 1000);
    },
    search: (term) => module.search(db, { term, limit: LIMIT }),
    ids: (answer) => answer.hits.map(({ id }) => Number(id)),
    save: () => JSON.stringify(module.save(db)),
    load(text) {
      const loaded = make();
      module.load(loaded, JSON.parse(text));
      return loaded;
    },
  };
};

export const PEERS = {
  minisearch: minisearch(),
  "minisearch, tuned": minisearch({ processTerm: term }),
  lunr,
  flexsearch: flexsearch(),
  "flexsearch, tuned": flexsearch((Encoder) => ({
    tokenize: "strict",
    encoder: new Encoder({ normalize: true, finalize: (words) => words.map(term).filter(Boolean) }),
  })),
  "@orama/orama": orama(),
  "@orama/orama, tuned": orama({
    components: { tokenizer: { language: "english", stemming: true, stopWords: [...STOP_WORDS] } },
  }),
};
