// Lists the files of folders, by the rules of the program `vademecum`.

import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { invalid } from "../error.js";

/** Endings of the names of files that are kept beside a library. */
const BESIDE = /^(\.files|\.lock|\.fresh(\.files)?)?(\.tmp-\d+)?$/;

/**
 * @typedef {{ id: string, path: string, kind: string, stamp: Stamp, page?: string }} Found
 * @typedef {{ bytes: number, modified: string }} Stamp size, and nanoseconds from 1970 to the last change
 * @typedef {{ path: string, prefix: string, isFolder: boolean }} Place
 */

/** Returns size and time of a file. */
export function stampOf(file) {
  const { size, mtimeNs } = statSync(file, { bigint: true });
  return { bytes: Number(size), modified: String(mtimeNs > 0n ? mtimeNs : 0n) };
}

/** Returns the folders and files of the option `paths`, with what the ids of their documents begin with. */
export function placesOf(paths) {
  const places = paths.map((given, at) => {
    const whole = path.resolve(given);
    try {
      return { path: whole, prefix: "", isFolder: statSync(whole).isDirectory() };
    } catch (error) {
      throw invalid(`build.paths[${at}]`, "a folder or a file that can be read", `${given} (${error.code ?? error.message})`);
    }
  });
  const folders = places.filter((place) => place.isFolder);
  if (folders.length > 1) for (const place of folders) place.prefix = `${path.basename(place.path)}/`;
  const names = places.filter(({ isFolder }) => !isFolder || folders.length > 1).map((place) => place.prefix || path.basename(place.path));
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw invalid("build.paths", "folders and files with different names, which begin the ids of documents", `\`${twice}\` twice`);
  return places;
}

/** Returns whether the id of a file is of a place rather than of the others. */
export function isOf(id, place, places) {
  if (!place.isFolder) return id === path.basename(place.path);
  return id.startsWith(place.prefix) && !places.some((other) => !other.isFolder && id === path.basename(other.path));
}

export class Walk {
  /** @type {Found[]} files that can be read, by id */
  found = [];
  /** @type {[string, { code: string, message: string }][]} files and folders that cannot be reached */
  refused = [];
  /** @type {Record<string, number>} number of files of unknown kinds, by extension */
  skipped = {};
  /** @type {[string, string][]} remarks about files */
  notes = [];
  #files;
  #out;
  #honours;
  #linked = new Set();

  /** @param {any} files the module that reads files @param {Place[]} places @param {string} out @param {boolean} honours whether ignore files are honoured */
  constructor(files, places, out, honours) {
    this.#files = files;
    this.#out = path.resolve(out);
    this.#honours = honours;
    for (const place of places) {
      if (place.isFolder) this.#folder(place);
      else this.#entry(place, place.path, path.basename(place.path), { isNamed: true });
    }
    this.found.sort((one, other) => compare(one.id, other.id));
    this.#refuseTwins();
    this.refused.sort((one, other) => compare(one[0], other[0]));
  }

  #refuse(id, refusal) {
    this.refused.push([id, JSON.parse(refusal)]);
  }

  /** Leaves one file of each id. */
  #refuseTwins() {
    const kept = [];
    for (const found of this.found) {
      const twin = kept.at(-1);
      if (twin?.id !== found.id) kept.push(found);
      else if (realpathSync(twin.path) !== realpathSync(found.path)) this.#refuse(found.id, this.#files.sameId(found.path, twin.path));
    }
    this.found = kept;
  }

  #folder(place) {
    const before = this.found.length;
    const isSite = isFile(path.join(place.path, this.#files.sitemapName()));
    const rules = new this.#files.Rules();
    this.#list(place, "", { rules, isSite, above: [] });
    rules.free();
    if (isSite) this.#addPages(place, this.found.slice(before));
  }

  /** Lists a folder; `relative` is its path from the place, `above` the folders around it. */
  #list(place, relative, { rules, isSite, above }) {
    const folder = path.join(place.path, relative);
    const name = place.prefix + relative;
    let entries;
    let own;
    try {
      const { dev, ino } = statSync(folder, { bigint: true });
      own = `${dev}:${ino}`;
      entries = readdirSync(folder, { withFileTypes: true }).sort((one, other) => compare(one.name, other.name));
    } catch (error) {
      return this.#refuse(name.replace(/\/+$/, ""), this.#files.unreadable(reasonOf(error)));
    }
    const texts = this.#ignoreFiles(folder, name);
    if (!texts) return;
    for (const [file, refusal] of JSON.parse(rules.enter(relative, ...texts))) this.refused.push([name ? `${name}/${file}` : file, refusal]);
    for (const entry of entries) {
      const inner = relative ? `${relative}/${entry.name}` : entry.name;
      const whole = path.join(folder, entry.name);
      let is = entry;
      if (entry.isSymbolicLink()) {
        try {
          is = /** @type {any} */ (statSync(whole));
        } catch (error) {
          if (!rules.leavesOut(inner, false)) this.#refuse(place.prefix + inner, this.#files.unreadable(reasonOf(error)));
          continue;
        }
      }
      if (rules.leavesOut(inner, is.isDirectory())) continue;
      if (!is.isDirectory()) {
        if (is.isFile()) this.#entry(place, whole, inner, { isSite });
        continue;
      }
      if (entry.isSymbolicLink()) {
        const { dev, ino } = statSync(whole, { bigint: true });
        const key = `${dev}:${ino}`;
        if (key === own || above.includes(key)) {
          this.#refuse(place.prefix + inner, this.#files.looped(realpathSync(whole)));
          continue;
        }
        if (this.#linked.has(key)) continue;
        this.#linked.add(key);
      }
      this.#list(place, inner, { rules, isSite, above: [...above, own] });
    }
    rules.leave();
  }

  /** Returns the texts of a folder's ignore files, or nothing if one cannot be read: then the folder is left out. */
  #ignoreFiles(folder, name) {
    if (!this.#honours) return [];
    const texts = [];
    for (const file of this.#files.Rules.files()) {
      try {
        texts.push(new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path.join(folder, file))));
      } catch (error) {
        if (error.code !== "ENOENT" && error.code !== "EISDIR") {
          this.#refuse(name.replace(/\/+$/, ""), this.#files.Rules.unreadable(file, reasonOf(error)));
          return null;
        }
        texts.push(undefined);
      }
    }
    return texts;
  }

  /** Adds a file. One that was named itself is tried as text if its kind is unknown. */
  #entry(place, whole, relative, { isNamed = false, isSite = false }) {
    const name = path.basename(relative);
    if (!isNamed && (name.endsWith(".library") || this.#isOwn(whole))) return;
    const kind = this.#files.kindOf(name, isSite) ?? (isNamed ? "text" : undefined);
    if (!kind) {
      const extension = this.#files.extension(name);
      this.skipped[extension] = (this.skipped[extension] ?? 0) + 1;
      return;
    }
    const id = place.prefix + relative;
    try {
      this.found.push({ id, path: whole, kind, stamp: stampOf(whole) });
    } catch (error) {
      this.#refuse(id, this.#files.unreadable(reasonOf(error)));
    }
  }

  /** Returns whether a path is the library that is written, or what is kept beside it. */
  #isOwn(whole) {
    return whole.startsWith(this.#out) && BESIDE.test(whole.slice(this.#out.length));
  }

  /** Gives the pages of a site their addresses. */
  #addPages(place, found) {
    const own = found.map(({ id }) => id.slice(place.prefix.length));
    const textOf = (name) => {
      const file = path.join(place.path, name);
      try {
        return stampOf(file).bytes <= this.#files.sitemapBytes() ? readFileSync(file, "utf8") : undefined;
      } catch {
        return undefined;
      }
    };
    const { pages, notes } = JSON.parse(this.#files.pagesOfSite(own, textOf));
    for (const [file, note] of notes) this.notes.push([place.prefix + file, note]);
    for (const [at, one] of found.entries()) {
      const page = pages[own[at]];
      if (page) one.page = JSON.stringify(page);
    }
  }
}

/** Returns what documents of a file have besides its contents: the address of the page and the day of its last change. */
export function besideOf({ page }) {
  if (!page) return "";
  const { url, modified } = JSON.parse(page);
  return `${url} ${modified ?? ""}`;
}

/** Compares as the program does, by code points. */
export const compare = (one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other));

export const reasonOf = (error) => (error instanceof TypeError ? "it is not UTF-8" : error.message);

function isFile(whole) {
  try {
    return statSync(whole).isFile();
  } catch {
    return false;
  }
}
