// Builds libraries of files, in Node: the same readers and the same record as the program `vademecum`.

import { readFileSync } from "node:fs";
import path from "node:path";
import { KnowledgeBase } from "../direct.js";
import { aborted, VademecumError } from "../error.js";
import { BUILD_DEFAULTS, BUILD_OPTIONS } from "../generated/build-table.js";
import { checked, list, text } from "../options.js";
import { Remaining } from "../remaining.js";
import { filesModule } from "./module.js";
import { Readers } from "./readers.js";
import {
  checkedTarget,
  emptyRecord,
  failed,
  hasDocuments,
  idsOf,
  isSameStamp,
  isUnchanged,
  libraryStamp,
  locked,
  readRecord,
  recordedStamp,
  replaced,
  unsettled,
  writeRecord,
} from "./record.js";
import { besideOf, compare, isOf, placesOf, reasonOf, stampOf, Walk } from "./walk.js";

/** Bytes and number of files that are read before their documents are added. */
const BATCH = { bytes: 2 << 20, files: 256 };
/** A checkpoint may take this share of the time between two. */
const SHARE = 10;
/** Bytes of a document's text; the default of a page would refuse long books. */
const MAX_DOCUMENT_BYTES = 64 << 20;
/** Times that a file is read before it is refused as changing. */
const TRIES = 2;
/** Codes of errors that are about a document rather than the library. */
const OF_DOCUMENTS = ["empty_document", "document_too_large", "duplicate_id", "metadata_type", "invalid_argument"];

/** Readers improve: a library that another version has read is read again. */
const { version: VERSION } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

/** Builds a library of folders and files, or brings an existing one up to date with them. */
export async function build(options) {
  const given = { ...BUILD_DEFAULTS, ...checked("build", options, BUILD_OPTIONS) };
  list("paths of folders and files", text)("build.paths", given.paths);
  const out = checkedTarget(text("build.out", given.out));
  const files = await filesModule();
  const places = placesOf(given.paths);
  const release = locked(out);
  /** @type {Run | undefined} */
  let run;
  try {
    run = new Run(given, places, out, files);
    return await run.all();
  } finally {
    try {
      await run?.close();
    } finally {
      release();
    }
  }
}

class Run {
  #given;
  #out;
  #files;
  #readers;
  #places;
  /** @type {any} the library, opened when there is something to write */
  #kb = null;
  #record = emptyRecord();
  #exists;
  #stamp;
  #began = performance.now();
  #saved = performance.now();
  #remaining = new Remaining();
  #progress = { files: 0, read: 0, total: 0, embedded: 0 };
  /** @type {any} what the build resolves to */
  #report = { files: { added: 0, changed: 0, unchanged: 0, removed: 0 }, notAdded: [], skipped: {}, notes: [] };

  constructor(given, places, out, files) {
    this.#given = given;
    this.#out = out;
    this.#files = files;
    this.#readers = new Readers(files);
    this.#places = places;
    this.#stamp = libraryStamp(out);
    this.#exists = this.#stamp !== null && !given.fresh;
  }

  async close() {
    await this.#readers.close();
    await this.#kb?.close();
  }

  async all() {
    const { ignoreFiles, allowEmpty } = this.#given;
    const known = (this.#exists && readRecord(this.#out)) || emptyRecord();
    const settings = this.#settings(known.settings);
    // Another program may have replaced the library since: the record does not know its documents.
    const isTrusted = this.#exists && isSameStamp(known.library, this.#stamp) && isSameMaking(known.settings, settings);
    this.#takeOver(known, settings, isTrusted);
    const walk = new Walk(this.#files, this.#places, this.#out, ignoreFiles);
    const plan = planOf(walk, this.#record);
    if (!allowEmpty) this.#checkFolders(plan);
    this.#reportWalk(walk, plan);
    const { vectors, chunks } = this.#record.totals;
    const isDescribed = !this.#exists || known.settings.description === settings.description;
    const isIncomplete = this.#given.embedder !== undefined && vectors < chunks;
    if (plan.gone.length > 0 || isIncomplete || !isDescribed) await this.#open();
    for (const file of plan.gone) {
      await this.#forget(file, []);
      await this.#leaveOthers(file);
      delete this.#record.files[file];
      this.#report.files.removed += 1;
    }
    try {
      await this.#read(plan.toRead);
      if (this.#given.embedder) await this.#kb?.embedPending(this.#work());
    } catch (error) {
      // What was done until then is worth keeping; the error is the one to report. A library that is made anew replaces the old one when it is whole.
      if (!this.#given.fresh) await this.#checkpoint().catch(() => {});
      throw error;
    }
    return this.#finished();
  }

  #settings(known) {
    const { collection, description, url, chunkTokens, chunkOverlap, embedder } = this.#given;
    const own = embedder?.id;
    return {
      collection,
      description: description ?? known.description ?? null,
      url: url ?? null,
      chunkTokens: chunkTokens ?? embedder?.files?.options.maxTokens ?? 128,
      chunkOverlap,
      // Without a model, passages stay as long as the one of the last build made them.
      model: own === undefined || (known.model && isSameModel(own, known.model)) ? (known.model ?? null) : own,
      version: VERSION,
    };
  }

  /** Takes over the settings of a run, by which some files have to be read again. */
  #takeOver(known, settings, isTrusted) {
    const { collection: from } = known.settings;
    const to = settings.collection;
    for (const [file, entry] of Object.entries(known.files)) {
      const isToRead = !isTrusted || (this.#given.embedder && entry.is_estimated);
      const own = isToRead ? unsettled(entry) : { ...entry };
      known.files[file] = from && from !== to ? moved(file, own, from, to) : own;
    }
    this.#record = { ...known, settings };
  }

  /** Rejects if all documents of a folder would be removed because nothing is found there. */
  #checkFolders({ unchanged, toRead, gone }) {
    const found = [...unchanged, ...toRead.map(({ id }) => id)];
    const away = new Set(gone);
    for (const place of this.#places.filter(({ isFolder }) => isFolder)) {
      if (found.some((id) => isOf(id, place, this.#places))) continue;
      const had = Object.entries(this.#record.files).filter(([id, entry]) => isOf(id, place, this.#places) && hasDocuments(id, entry));
      if (had.length === 0 || !had.every(([id]) => away.has(id))) continue;
      const message =
        `${place.path} should have files, since the library has documents of ${had.length} of them, and has none that can be read. ` +
        "Check that it is the right folder, and that its disk is there; `allowEmpty` removes the documents.";
      throw new VademecumError(message, { code: "folder_empty", retryable: true });
    }
  }

  #reportWalk(walk, plan) {
    this.#report.skipped = walk.skipped;
    this.#report.notAdded = walk.refused.map(([file, refusal]) => ({ file: file || ".", ...refusal }));
    this.#report.notes = walk.notes.map(([file, note]) => ({ file, note }));
    for (const file of plan.unchanged) {
      const { refusal, notes = [] } = this.#record.files[file];
      if (refusal) this.#report.notAdded.push({ file, ...refusal });
      else this.#report.files.unchanged += 1;
      this.#report.notes.push(...notes.map((note) => ({ file, note })));
    }
  }

  /** Opens the library. */
  async #open() {
    if (this.#kb) return this.#kb;
    const { embedder, chunkTokens, chunkOverlap, reembed, collection, description } = this.#given;
    const memory = { embedder, chunkTokens, chunkOverlap, reembed, maxDocumentBytes: MAX_DOCUMENT_BYTES };
    const kb = await KnowledgeBase.memory(memory);
    try {
      await kb.loadEmbedder({ signal: this.#given.signal });
      if (this.#exists) await kb.import(this.#bytes(), { signal: this.#given.signal });
      await kb.collection(collection, { description });
      const { embedder: loaded } = await kb.stats();
      if (loaded) this.#record.settings.model = loaded.id;
    } catch (error) {
      await kb.close();
      throw error;
    }
    // Only a library that was opened whole may be written back.
    this.#kb = kb;
    return kb;
  }

  #bytes() {
    try {
      return readFileSync(this.#out);
    } catch (error) {
      throw failed("read", this.#out, error);
    }
  }

  /** Options of the calls of the library that take long. */
  #work() {
    const tell = ({ phase, loaded }) => {
      if (phase === "embedding") this.#tell({ embedded: loaded });
    };
    return { signal: this.#given.signal, onProgress: tell };
  }

  #tell(progress) {
    Object.assign(this.#progress, progress);
    const { read, total } = this.#progress;
    this.#given.onProgress?.({ ...this.#progress, secondsLeft: this.#remaining.note(read, total) });
  }

  /** Reads files in batches, and adds their documents. */
  async #read(found) {
    this.#tell({ total: found.reduce((sum, { stamp }) => sum + stamp.bytes, 0) });
    for (let at = 0; at < found.length; ) {
      if (this.#given.signal?.aborted) throw aborted();
      const batch = firstBatch(found.slice(at));
      at += batch.length;
      const all = await Promise.all(batch.map((one) => this.#readOne(one)));
      const changed = all.filter((one) => one && !this.#settle(one));
      if (changed.length > 0) await this.#add(changed);
      const { files, read } = this.#progress;
      this.#tell({ files: files + batch.length, read: read + batch.reduce((sum, { stamp }) => sum + stamp.bytes, 0) });
      await this.#checkpointIfDue();
    }
  }

  /** Reads a file while it does not change. */
  async #readOne(found) {
    const { id, kind } = found;
    const known = this.#record.files[id];
    const beside = besideOf(found);
    const refused = (refusal) => ({ id, known, entry: { ...unsettled({}), refusal: JSON.parse(refusal) }, documents: [] });
    try {
      for (let attempt = 0; attempt < TRIES; attempt += 1) {
        const stamp = stampOf(found.path);
        if (stamp.bytes > this.#files.maxBytes(kind)) return refused(this.#files.tooLarge(stamp.bytes, kind));
        const bytes = new Uint8Array(readFileSync(found.path));
        if (!isSameStamp(stamp, stampOf(found.path)) || bytes.length !== stamp.bytes) continue;
        const entry = { stamp: recordedStamp(stamp), hash: this.#files.hash(bytes), ...(beside && { beside }) };
        if (known?.hash === entry.hash && (known.beside ?? "") === beside) return { id, known, entry, isSame: true, documents: [] };
        const { documents = [], notes = [], refusal } = await this.#readers.read(found, bytes);
        return { id, known, entry: { ...entry, ...(notes.length > 0 && { notes }), ...(refusal && { refusal }) }, documents };
      }
      return refused(this.#files.changed());
    } catch (error) {
      return refused(this.#files.unreadable(reasonOf(error)));
    }
  }

  /** Counts a file, and returns whether it changes nothing: its contents are as recorded, or it could not be read this time. */
  #settle({ id, known, entry, isSame }) {
    const refusal = isSame ? known.refusal : entry.refusal;
    const notes = (isSame ? known.notes : entry.notes) ?? [];
    this.#report.notes.push(...notes.map((note) => ({ file: id, note })));
    if (refusal) this.#report.notAdded.push({ file: id, ...refusal });
    else this.#report.files[isSame ? "unchanged" : known && !known.refusal ? "changed" : "added"] += 1;
    if (isSame) this.#record.files[id] = { ...known, stamp: entry.stamp };
    return isSame === true || (refusal !== undefined && !this.#files.isOfContents(refusal.code));
  }

  /** Adds the documents of files; one by one if one of them keeps out all. */
  async #add(all) {
    const kb = await this.#open();
    const { collection, embedder } = this.#given;
    for (const one of all) {
      for (const document of one.documents) this.#giveAddress(one.id, document);
      const ids = one.documents.map(({ id }) => id);
      const isPlain = ids.length === 1 && ids[0] === one.id;
      if (!one.entry.refusal && !isPlain) one.entry.documents = ids;
      if (!embedder && this.#record.settings.model) one.entry.is_estimated = true;
      // If this build ends before the file is in, the next one reads it again, and knows all documents that it may have.
      const { refusal: _, ...known } = one.known ?? {};
      this.#record.files[one.id] = { ...unsettled(known), documents: [...new Set([...(one.known ? idsOf(one.id, one.known) : []), ...ids])] };
      await this.#forget(one.id, ids);
    }
    const add = async (documents) => documents.length > 0 && kb.add(collection, documents, this.#work());
    try {
      await add(all.flatMap(({ documents }) => documents));
    } catch (error) {
      if (!OF_DOCUMENTS.includes(error.code)) throw error;
      for (const one of all) await this.#addAlone(one, add);
    }
    for (const { id, entry } of all) {
      await this.#leaveOthers(id);
      this.#record.files[id] = entry;
    }
  }

  async #addAlone(one, add) {
    try {
      await add(one.documents);
    } catch (error) {
      if (!OF_DOCUMENTS.includes(error.code)) throw error;
      await this.#forget(one.id, []);
      one.entry.refusal = JSON.parse(this.#files.refused(error.message));
      this.#report.files[one.known && !one.known.refusal ? "changed" : "added"] -= 1;
      this.#report.notAdded.push({ file: one.id, ...one.entry.refusal });
    }
  }

  /** Gives a document an address below that of the option, by the path of its file. */
  #giveAddress(file, document) {
    const { url } = this.#given;
    if (url !== undefined) document.url ??= this.#files.addressBelow(url, file);
  }

  /** Removes the documents that a file had, but for some. */
  async #forget(file, kept) {
    const entry = this.#record.files[file];
    const ids = entry ? idsOf(file, entry).filter((id) => !kept.includes(id)) : [];
    if (ids.length > 0) await this.#kb.remove(this.#given.collection, ids);
  }

  /** Removes the documents that a file has in collections that it is no longer added to. */
  async #leaveOthers(file) {
    for (const [collection, ids] of Object.entries(this.#record.files[file]?.elsewhere ?? {})) {
      await this.#kb.remove(collection, ids).catch((error) => {
        if (error.code !== "unknown_collection") throw error;
      });
    }
  }

  async #checkpointIfDue() {
    const since = performance.now() - this.#saved;
    if (!this.#kb || this.#given.fresh || since < this.#given.checkpointSeconds * 1000) return;
    const began = performance.now();
    await this.#checkpoint();
    // A large library is written less often.
    this.#saved = performance.now() + Math.max(0, SHARE * (performance.now() - began) - this.#given.checkpointSeconds * 1000);
  }

  /** Writes the library and its record. */
  async #checkpoint() {
    if (!this.#kb) return;
    const { documents, chunks, embedded } = await this.#kb.stats();
    if (!this.#exists && documents === 0) return;
    const bytes = await this.#kb.export();
    if (!isSameStamp(libraryStamp(this.#out), this.#stamp)) {
      throw new VademecumError(`${this.#out} was replaced by another program during the build. Build again.`, { code: "library_in_use", retryable: true });
    }
    replaced(this.#out, bytes);
    this.#stamp = libraryStamp(this.#out);
    this.#exists = true;
    Object.assign(this.#record, { library: this.#stamp, totals: { documents, chunks, vectors: embedded } });
    writeRecord(this.#record, this.#out);
  }

  async #finished() {
    if (this.#kb) await this.#checkpoint();
    else if (this.#exists) writeRecord(this.#record, this.#out);
    const { documents, chunks, vectors } = this.#record.totals;
    const byFile = (one, other) => compare(one.file, other.file);
    return {
      library: path.resolve(this.#out),
      ...this.#report,
      notAdded: this.#report.notAdded.sort(byFile),
      notes: this.#report.notes.sort(byFile),
      documents,
      chunks,
      vectors,
      bytes: this.#exists ? libraryStamp(this.#out)?.bytes ?? 0 : 0,
      tookMs: performance.now() - this.#began,
    };
  }
}

/** Returns whether files that are unchanged make the same documents by both settings. */
function isSameMaking(one, other) {
  const { description: _, ...mine } = one;
  return Object.entries({ ...other, description: undefined }).every(([name, value]) => name === "description" || (mine[name] ?? null) === (value ?? null));
}

const UNSETTLED = " pooling=?";

/** Returns whether vectors of a model are comparable with those of an embedder. */
function isSameModel(own, found) {
  const base = own.endsWith(UNSETTLED) ? own.slice(0, -UNSETTLED.length) : null;
  const rest = base !== null && found.startsWith(base) ? found.slice(base.length) : null;
  return own === found || rest === "" || rest?.startsWith(" pooling=") === true;
}

/** Notes that the documents of a file are in a collection that it is no longer added to. */
function moved(file, entry, from, to) {
  const elsewhere = { ...entry.elsewhere };
  const ids = idsOf(file, entry);
  if (ids.length > 0) elsewhere[from] = [...(elsewhere[from] ?? []), ...ids];
  const back = elsewhere[to];
  delete elsewhere[to];
  const own = { ...entry, elsewhere };
  if (!entry.refusal || back) {
    own.documents = back ?? [];
    delete own.refusal;
  }
  return own;
}

/** Compares files with a record. */
function planOf(walk, record) {
  const plan = { toRead: /** @type {any[]} */ ([]), unchanged: /** @type {string[]} */ ([]), gone: /** @type {string[]} */ ([]) };
  for (const found of walk.found) {
    if (isUnchanged(record.files[found.id], found, besideOf(found))) plan.unchanged.push(found.id);
    else plan.toRead.push(found);
  }
  const there = new Set(walk.found.map(({ id }) => id));
  // Documents of files in folders that could not be read this time are kept.
  const isOutOfReach = (id) => walk.refused.some(([path]) => path === "" || id === path || id.startsWith(`${path}/`));
  plan.gone = Object.keys(record.files).filter((id) => !there.has(id) && !isOutOfReach(id));
  return plan;
}

function firstBatch(found) {
  let bytes = 0;
  const last = found.findIndex(({ stamp }, at) => (bytes += stamp.bytes) >= BATCH.bytes || at + 1 >= BATCH.files);
  return last < 0 ? found : found.slice(0, last + 1);
}
