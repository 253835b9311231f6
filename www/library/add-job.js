// Adds files: reads each on its own, adds many with one call, and then embeds their passages. A file
// that cannot be added does not affect others, and leaves the library unchanged.

import { allDocuments } from "../list-documents.js";
import { documentAt } from "../run-snapshot.js";
import { makeRoom } from "./pdf-files.js";
import { read, withPath } from "./readers/index.js";

/** Maximum number of documents, and of bytes of text, per call. */
const TOGETHER = 200;
const TEXT_TOGETHER = 4_000_000;
/** Maximum number of documents of a file that are compared with those of the library. */
const COMPARED = 50;
/** Errors of the library or its storage, which the next file would cause as well. */
const OF_ALL = new Set(["storage_full", "storage_failed", "read_only", "closed", "worker_failed", "unknown_collection"]);

/** Files of which a row or record is a document. */
const HAS_ROWS = /\.(csv|tsv|jsonl|ndjson|json|xlsx|xlsm)$/i;

export class AddJob {
  /** `waiting` for earlier jobs, then `reading`, `understanding` (embedding) and `done`. */
  state = "waiting";
  /** Each `{ path, file, encoding?, state, documents, table?, pages?, rows?, chunks?, replaced?, isSame?, note?, canRecognise?, error? }`; state `again` means that another job retries it. */
  items;
  /** Progress of embedding: `{ loaded, total }`. */
  understood = { loaded: 0, total: 0 };
  /** The error that ended the job early, or stopped its embedding. */
  error = null;
  #ending = new AbortController();
  #known = new Set(); // ids that were in the collection before

  /**
   * @param files `{ path, file, encoding?, recognise?, isIn? }` each, with whether an earlier job added it, or `{ path, error }` for one that cannot be accessed
   * @param onChange called at every change, too often to draw each time
   * @param onIn called with the ids that were added to the library
   * @param keep called with a document that was made of a PDF, and its file
   * @param onProgress called with the library's progress of embedding
   */
  constructor({ kb, collection, files, onChange, onIn, onProgress, keep = async (_document, _file) => {} }) {
    this.kb = kb;
    this.collection = collection;
    this.onChange = onChange;
    this.onIn = onIn;
    this.onProgress = onProgress;
    this.keep = keep;
    const seen = new Map();
    this.items = files.map(({ path, ...rest }) => {
      // Two files of the same name in one job are two documents; the same name in a later job replaces the first.
      const again = (seen.get(path) ?? 0) + 1;
      seen.set(path, again);
      return { ...rest, path: again === 1 ? path : numbered(path, again), state: rest.error ? "failed" : "waiting", ending: new AbortController() };
    });
  }

  get signal() {
    return this.#ending.signal;
  }

  /** Stops the job: what was added stays in the library. */
  cancel() {
    this.#ending.abort();
    for (const item of this.items) this.cancelOne(item);
    if (this.state === "waiting") this.#become("done");
  }

  /** Cancels one file that is not added yet. */
  cancelOne(item) {
    if (!["waiting", "reading", "read"].includes(item.state)) return;
    item.state = "cancelled";
    item.ending.abort();
    const isOver = this.state === "waiting" && !this.items.some(({ state }) => state === "waiting");
    if (isOver) this.#become("done"); // nothing is left to wait for
    else this.onChange();
  }

  /** Reads and adds the files. Errors are reported in `error` and in the items, not thrown. */
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

  /** Embeds what was added. Later jobs need not wait for this. */
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

  /** Returns the result for a few files. */
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
      if (item.table) {
        await this.#putBefore(item, batch);
        [batch, documents, bytes] = [[], 0, 0];
        if (item.table) await this.#putTable(item);
        continue;
      }
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
      // A slow disk does not delay the cancellation of a file.
      const onPage = (page, pages) => {
        item.pages = { page, pages };
        this.onChange();
      };
      const onLoad = (loaded, total) => {
        item.fetched = { loaded, total };
        this.onChange();
      };
      const { documents, table, note, canRecognise } = await Promise.race([read(item, { signal, onPage, onLoad }), aborted(signal)]);
      if (item.state !== "reading") return; // cancelled meanwhile
      Object.assign(item, { state: "read", documents, table, note, canRecognise });
    } catch (error) {
      if (item.state === "reading") Object.assign(item, { state: "failed", error });
    }
    this.onChange();
  }

  /** Adds files together; if one is refused, retries halves until it is found. */
  async #putIn(batch) {
    const items = batch.filter(({ state }) => state === "read");
    if (items.length === 0 || this.signal.aborted) return;
    items.forEach((item) => (item.state = "adding"));
    await Promise.all(items.map(async (item) => (item.isSame ??= await this.#isStored(item).catch(() => false))));
    if (this.signal.aborted) return items.forEach((item) => this.cancelOne(item));
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

  /** Returns whether the library has all documents of a file as they are; of a file with many that is not looked up. */
  async #isStored({ documents }) {
    if (documents.length > COMPARED || !documents.every(({ id }) => this.#known.has(id))) return false;
    const stored = await Promise.all(documents.map(({ id }) => documentAt(this.kb, { collection: this.collection, docId: id })));
    return documents.every((given, at) => stored[at] !== null && contentOf(stored[at]) === contentOf(given));
  }

  /** Adds files that come before a large table, which is given up if that fails, or if it was stopped meanwhile. */
  async #putBefore(item, batch) {
    let isKept = false;
    try {
      await this.#putIn(batch);
      isKept = item.state === "read" && !this.signal.aborted;
    } finally {
      if (!isKept) {
        item.table.close();
        item.table = null;
      }
    }
  }

  /** Adds the rows of a large table, some at a time. A table is added as a whole or not at all. */
  async #putTable(item) {
    const { table, path } = item;
    item.state = "adding";
    item.rows = { loaded: 0, total: table.ids.length };
    try {
      for await (const documents of table.batches()) {
        this.signal.throwIfAborted();
        await this.#add(documents.map((one) => withPath(one, path)));
        item.rows.loaded += documents.length;
        this.onChange();
      }
    } catch (error) {
      const fresh = table.ids.slice(0, item.rows.loaded).filter((id) => !this.#known.has(id));
      await this.kb.remove(this.collection, fresh).catch(() => {});
      Object.assign(item, this.signal.aborted ? { state: "cancelled", table: null } : { state: "failed", error, table: null });
      if (OF_ALL.has(error.code)) throw error;
      return this.onChange();
    }
    await this.#settleOne(item, table.ids);
    item.table = null;
    this.onIn(table.ids);
    this.onChange();
  }

  /** Resolves as soon as the texts are indexed: all vectors are computed at the end, because that takes the most time. */
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
      if (isIn) return;
      if (error.code !== "storage_full" || !(await makeRoom())) throw error;
      await this.#add(documents); // with the room of files that are kept beside the library
    } finally {
      this.signal.removeEventListener("abort", stop);
    }
  }

  async #settle(items) {
    const added = [];
    const pdfs = items.filter(({ documents }) => documents[0]?.metadata?.type === "pdf");
    for (const item of items) {
      const ids = item.documents.map(({ id }) => id);
      await this.#settleOne(item, ids);
      added.push(...ids);
    }
    for (const { first, file } of pdfs) await this.keep({ collection: this.collection, id: first }, file);
    this.onIn(added);
    this.onChange();
  }

  async #settleOne(item, ids) {
    const before = [...(this.#known.has(item.path) ? [item.path] : []), ...this.#rowsOf(item.path)];
    const now = new Set(ids);
    const gone = before.filter((id) => !now.has(id));
    if (gone.length > 0) await this.kb.remove(this.collection, gone); // rows that a newer version of a table no longer contains
    Object.assign(item, { state: "in", count: ids.length, first: ids[0], replaced: before.length > 0, isSame: item.isSame && gone.length === 0, documents: null });
  }

  #rowsOf(path) {
    return HAS_ROWS.test(path) ? [...this.#known].filter((id) => id.startsWith(`${path}#`)) : [];
  }

  /** Removes what could not be saved, because it would be lost at the next visit. */
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

/** Returns what makes two documents the same, as one text. A title may be made from the text. */
const contentOf = ({ text, url = null, metadata = {} }) => JSON.stringify([text, url, Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1))]);

const aborted = (signal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));

/** Returns a unique name: `notes/a.md` → `notes/a (2).md`. */
const numbered = (path, again) => path.replace(/(\.[^./]*)?$/, (ending) => ` (${again})${ending}`);

/** Returns the ids of all documents of a collection. */
export const idsIn = async (kb, collection) => new Set((await allDocuments(kb, { collections: [collection] })).map(({ id }) => id));
