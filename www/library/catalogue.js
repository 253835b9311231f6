// All documents of the library, or those that a filter matches, as entries: files, and tables with their rows.

/** Documents that are listed at once: the page answers between two lists. */
const AT_ONCE = 500;

/**
 * @typedef {{ collection: string, id: string, title: string | null, chunks: number, file?: string, path?: string, type?: string, order: number }} Listed
 * @typedef {{ collection: string, id: string, name: string, path: string | null, chunks: number, order: number, rows: Listed[] | null }} Entry
 */

/** A list of documents that is brought up to date by reading only what was added, where nothing else has changed. */
export class Catalogue {
  #kb;
  #where;
  /** @type {Listed[]} in the order in which they were added */
  documents = [];
  #grouping = new Grouping();
  #ids = new Set(); // of all documents, in any collection
  #isOld = false;

  /** @param where `filters`, as in `kb.documents` */
  constructor(kb, where = {}) {
    this.#kb = kb;
    this.#where = where;
  }

  /** Whether a document of one of these ids is in the list. @param {string[]} ids */
  knowsAny(ids) {
    return ids.some((id) => this.#ids.has(id));
  }

  /** Lets the next `load` read all documents: some were replaced or removed. */
  forget() {
    this.#isOld = true;
  }

  async load() {
    const isOld = this.#isOld;
    this.#isOld = false;
    try {
      await this.#load(isOld ? [] : this.documents);
    } catch (error) {
      this.#isOld ||= isOld;
      throw error;
    }
  }

  /** @param {Listed[]} known */
  async #load(known) {
    // Every document before the last known one is older: if that is where it was, nothing before it has gone.
    const last = known.at(-1);
    const { documents: [again] = [] } = last ? await this.#page(known.length - 1, 1) : {};
    const isSame = last && again && again.id === last.id && again.collection === last.collection && again.chunks === last.chunks;
    const all = isSame ? known : [];
    const grouping = isSame ? this.#grouping : new Grouping();
    const ids = isSame ? this.#ids : new Set();
    for (;;) {
      const { total, documents } = await this.#page(all.length, AT_ONCE);
      for (const document of documents) {
        const one = listed(document, all.length);
        all.push(one);
        ids.add(one.id);
        grouping.add(one);
      }
      if (documents.length === 0 || all.length >= total) break;
    }
    this.documents = all;
    this.#grouping = grouping;
    this.#ids = ids;
  }

  /** Returns the entries, without documents that are left out. @param {{ has: (document: Listed) => boolean, isEmpty: boolean }} leftOut */
  entries(leftOut) {
    return leftOut.isEmpty ? [...this.#grouping.entries] : entriesOf(this.documents.filter((one) => !leftOut.has(one)));
  }

  #page(offset, limit) {
    return this.#kb.documents({ ...this.#where, offset, limit });
  }
}

/** Keeps what the list shows: metadata of thousands of rows would fill the memory. */
function listed({ id, collection, title, chunks, metadata }, order) {
  const { file, path, type } = metadata;
  return { id, collection, title, chunks, ...(typeof file === "string" && { file }), ...(typeof path === "string" && { path }), ...(typeof type === "string" && { type }), order };
}

/**
 * Returns the id of the file that a document is a row or record of, or null: `notes/a.csv#7` is one of `notes/a.csv`.
 *
 * @param {{ id: string, file?: string }} document
 */
export function fileOf({ id, file }) {
  if (file === undefined) return null;
  const at = id.indexOf(`${file}#`);
  return at === 0 || (at > 0 && id[at - 1] === "/") ? id.slice(0, at + file.length) : null;
}

/** Groups documents: those of one table become one entry, with its rows in their order. */
class Grouping {
  /** @type {Entry[]} */
  entries = [];
  #tables = new Map();

  /** @param {Listed} one */
  add(one) {
    const { collection, id, title, path = null, chunks, order } = one;
    const file = fileOf(one);
    if (file === null) return void this.entries.push({ collection, id, name: title ?? id, path, chunks, order, rows: null });
    const key = `${collection}\n${file}`;
    let table = this.#tables.get(key);
    if (!table) {
      table = { collection, id: file, name: one.file, path, chunks: 0, order, rows: [] };
      this.#tables.set(key, table);
      this.entries.push(table);
    }
    table.rows.push(one);
    table.chunks += chunks;
    table.order = order;
  }
}

/** @param {Listed[]} documents */
export function entriesOf(documents) {
  const grouping = new Grouping();
  for (const one of documents) grouping.add(one);
  return grouping.entries;
}

/** How entries can be sorted. */
export const SORTS = {
  newest: (a, b) => b.order - a.order,
  title: (a, b) => a.name.localeCompare(b.name, undefined, { numeric: true, sensitivity: "base" }),
  size: (a, b) => b.chunks - a.chunks || b.order - a.order,
};

/**
 * Returns the entries whose name or id has all words, and of other tables the rows that do.
 *
 * @param {Entry[]} entries
 * @param {string} wanted
 * @returns {(Entry & { isNarrowed?: boolean })[]}
 */
export function matching(entries, wanted) {
  const words = wanted.trim().toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return entries;
  const has = (text) => words.every((word) => text.toLowerCase().includes(word));
  return entries.flatMap((entry) => {
    if (has(`${entry.name} ${entry.id}`)) return [entry];
    const rows = entry.rows?.filter(({ id, title }) => has(`${title ?? ""} ${id}`)) ?? [];
    return rows.length > 0 ? [{ ...entry, rows, chunks: rows.reduce((sum, { chunks }) => sum + chunks, 0), isNarrowed: true }] : [];
  });
}
