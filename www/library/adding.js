// Adding files: each is read by itself, many go into the library together, and then their passages are understood. What one
// file holds never keeps another out, and what does not get in leaves the library as it was.

import { allDocuments } from "../all-documents.js";
import { read } from "./readers/index.js";

/** Documents, and bytes of text, that go in with one call. */
const TOGETHER = 200;
const TEXT_TOGETHER = 4_000_000;
/** Errors that are of the library or its storage: the next file would fail in the same way. */
const OF_ALL = new Set(["storage_full", "storage_failed", "read_only", "closed", "worker_failed", "unknown_collection"]);

export class Adding {
  /** `waiting` for what comes first, then `reading`, then `understanding`, then `done`. */
  state = "waiting";
  /** Each `{ path, file, encoding?, state, documents, chunks?, replaced?, note?, error? }`; `again` is one that another adding tries. */
  items;
  /** How far the understanding is: `{ loaded, total }`. */
  understood = { loaded: 0, total: 0 };
  /** What ended all of it early, or kept its passages from being understood. */
  error = null;
  #ending = new AbortController();
  #known = new Set(); // ids that were in the collection before

  /**
   * @param files `{ path, file, encoding? }` each, or `{ path, error }` of one that cannot be had
   * @param onChange called whenever anything changed, and much too often to draw each time
   * @param onIn called with the ids that are in the library now
   * @param onProgress told of the vectors as the library tells of them
   */
  constructor({ kb, collection, files, onChange, onIn, onProgress }) {
    this.kb = kb;
    this.collection = collection;
    this.onChange = onChange;
    this.onIn = onIn;
    this.onProgress = onProgress;
    const seen = new Map();
    this.items = files.map(({ path, ...rest }) => {
      // Two files of one name at once are two documents; the same name again later replaces the first.
      const again = (seen.get(path) ?? 0) + 1;
      seen.set(path, again);
      return { ...rest, path: again === 1 ? path : numbered(path, again), state: rest.error ? "failed" : "waiting", ending: new AbortController() };
    });
  }

  get signal() {
    return this.#ending.signal;
  }

  /** Ends all of it: what is in the library stays there. */
  cancel() {
    this.#ending.abort();
    for (const item of this.items) this.cancelOne(item);
    if (this.state === "waiting") this.#become("done");
  }

  /** Keeps one file out that is not in yet. */
  cancelOne(item) {
    if (!["waiting", "reading", "read"].includes(item.state)) return;
    item.state = "cancelled";
    item.ending.abort();
    const isOver = this.state === "waiting" && !this.items.some(({ state }) => state === "waiting");
    if (isOver) this.#become("done"); // there is nothing left to wait with
    else this.onChange();
  }

  /** Reads the files and puts them in. What goes wrong is told by `error` and by the items, not thrown. */
  async read() {
    if (this.state === "done") return; // stopped before it began
    this.#become("reading");
    try {
      this.#known = await idsIn(this.kb, this.collection);
      await this.#readAll();
    } catch (error) {
      if (!this.signal.aborted) this.error = error;
      for (const item of this.items) if (["waiting", "reading", "read", "adding"].includes(item.state)) item.state = "cancelled";
    }
  }

  /** Makes the vectors of what was put in. Whoever adds more meanwhile need not wait for it. */
  async understand() {
    if (this.state === "done") return;
    if (!this.signal.aborted && !this.error && this.items.some(({ state }) => state === "in")) await this.#embed();
    await this.#lookAt().catch(() => {}); // removed meanwhile
    this.#become("done");
  }

  async #embed() {
    this.#become("understanding");
    const onProgress = (progress) => {
      if (progress.phase === "embed") this.understood = { loaded: progress.loaded, total: progress.total };
      this.onProgress(progress);
      this.onChange();
    };
    try {
      await this.kb.embedPending({ signal: this.signal, onProgress });
    } catch (error) {
      if (!this.signal.aborted) this.error = error;
    }
  }

  /** What became of a few files, for whoever added just these. */
  async #lookAt() {
    const FEW = 30;
    for (const item of this.items.slice(0, FEW)) {
      if (item.state !== "in" || item.count > 1) continue;
      const { chunks } = await this.kb.document(this.collection, item.first);
      Object.assign(item, { chunks: chunks.length, cut: chunks.filter(({ truncated }) => truncated).length });
    }
  }

  async #readAll() {
    let [batch, documents, bytes] = [[], 0, 0];
    for (const item of this.items) {
      if (this.signal.aborted) return;
      if (item.state !== "waiting") continue;
      await this.#readOne(item);
      if (item.state !== "read") continue;
      batch.push(item);
      documents += item.documents.length;
      bytes += item.file.size;
      if (documents < TOGETHER && bytes < TEXT_TOGETHER) continue;
      await this.#putIn(batch);
      [batch, documents, bytes] = [[], 0, 0];
    }
    if (!this.signal.aborted) await this.#putIn(batch);
  }

  async #readOne(item) {
    const { signal } = item.ending;
    item.state = "reading";
    this.onChange();
    try {
      // A slow disk holds nobody up who does not want the file any more.
      const { documents, note } = await Promise.race([read(item, { signal }), aborted(signal)]);
      if (item.state !== "reading") return; // cancelled meanwhile
      Object.assign(item, { state: "read", documents, note });
    } catch (error) {
      if (item.state === "reading") Object.assign(item, { state: "failed", error });
    }
    this.onChange();
  }

  /** Puts files in together; where one of them is refused, halves are tried until it is found. */
  async #putIn(batch) {
    const items = batch.filter(({ state }) => state === "read");
    if (items.length === 0 || this.signal.aborted) return;
    items.forEach((item) => (item.state = "adding"));
    try {
      await this.#add(items.flatMap(({ documents }) => documents));
    } catch (error) {
      items.forEach((item) => (item.state = "read"));
      if (this.signal.aborted) return items.forEach((item) => this.cancelOne(item));
      if (OF_ALL.has(error.code)) throw await this.#takeBack(items, error);
      if (items.length === 1) return void Object.assign(items[0], { state: "failed", error, documents: null });
      const middle = items.length >> 1;
      await this.#putIn(items.slice(0, middle));
      return this.#putIn(items.slice(middle));
    }
    await this.#settle(items);
  }

  /** Resolves as soon as the texts are in: all vectors are made at the end, for that is where the time goes. */
  async #add(documents) {
    const untilIn = new AbortController();
    const stop = () => untilIn.abort();
    this.signal.addEventListener("abort", stop);
    let isIn = false;
    const onProgress = ({ phase }) => {
      if (phase !== "embed" || isIn) return;
      isIn = true;
      stop();
    };
    try {
      await this.kb.add(this.collection, documents, { signal: untilIn.signal, onProgress });
    } catch (error) {
      if (!isIn) throw error;
    } finally {
      this.signal.removeEventListener("abort", stop);
    }
  }

  async #settle(items) {
    const added = [];
    for (const item of items) {
      const ids = item.documents.map(({ id }) => id);
      const before = [...(this.#known.has(item.path) ? [item.path] : []), ...this.#rowsOf(item.path)];
      const now = new Set(ids);
      const gone = before.filter((id) => !now.has(id));
      if (gone.length > 0) await this.kb.remove(this.collection, gone); // rows that a newer table no longer has
      Object.assign(item, { state: "in", count: ids.length, first: ids[0], replaced: before.length > 0, documents: null });
      added.push(...ids);
    }
    this.onIn(added);
    this.onChange();
  }

  #rowsOf(path) {
    return /\.(csv|tsv|jsonl|ndjson)$/i.test(path) ? [...this.#known].filter((id) => id.startsWith(`${path}#`)) : [];
  }

  /** What could not be saved would be gone at the next visit: better it is not there now. */
  async #takeBack(items, error) {
    const fresh = items.flatMap(({ documents }) => documents.map(({ id }) => id)).filter((id) => !this.#known.has(id));
    await this.kb.remove(this.collection, fresh).catch(() => {});
    items.forEach((item) => Object.assign(item, { state: "failed", error, documents: null }));
    return error;
  }

  #become(state) {
    this.state = state;
    this.onChange();
  }
}

const aborted = (signal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));

/** `notes/a.md` → `notes/a (2).md` */
const numbered = (path, again) => path.replace(/(\.[^./]*)?$/, (ending) => ` (${again})${ending}`);

/** The ids of all documents of a collection. */
export const idsIn = async (kb, collection) => new Set((await allDocuments(kb, { collections: [collection] })).map(({ id }) => id));
