// The queue of jobs that add files: files of one job are read at a time, and deleting a collection stops its jobs first.

import { h } from "../dom.js";
import { AddJob } from "./add-job.js";
import { forgetPdf, keepPdf } from "./pdf-files.js";
import { isReadable } from "./readers/index.js";
import { isPicture } from "./readers/pictures.js";
import { Report } from "./reports.js";
import { t } from "../words.js";

/** In jobs with more files than this, unreadable ones are skipped; in smaller jobs, each is reported. */
const FEW = 30;

export class AddJobs {
  #all = []; // `{ adding, report, over, isSynced }`, until its report is removed from the page
  #before = Promise.resolve(); // resolves when the next job may read its files
  #ahead = 0; // number of jobs before it

  /** @param place the element that contains the reports; the others are what the parts of the page share: see main.js */
  constructor({ kb, changed, onProgress, during, removals, place }) {
    this.kb = kb;
    this.changed = changed;
    this.onProgress = onProgress;
    this.during = during;
    this.removals = removals;
    this.place = place;
    // A live region of its own that exists from the start: screen readers announce others unreliably.
    this.said = h("p.visually-hidden.adding-told", { role: "status" });
    place.before(this.said);
  }

  /** Whether files are still being read: these are lost when the tab is closed. */
  get isReading() {
    return this.#all.some(({ adding }) => ["waiting", "reading"].includes(adding.state));
  }

  /** The number of files that are lost when the tab is closed; a folder that is kept in sync is read again by itself. */
  get unread() {
    const own = this.#all.filter(({ isSynced }) => !isSynced).flatMap(({ adding }) => (adding.state === "done" ? [] : adding.items));
    return own.filter(({ state }) => ["waiting", "reading", "read", "adding"].includes(state)).length;
  }

  /** Whether a job is running, optionally for one collection. */
  isBusy(collection = null) {
    return this.#of(collection).some(({ adding }) => adding.state !== "done");
  }

  /**
   * Adds files and shows the progress. Resolves to the files with their states.
   *
   * @param files `{ path, file, encoding? }` each, or `{ path, error }` for one that cannot be accessed
   * @param {string} collection
   * @param {{ isAgain?: boolean, isSynced?: boolean, signal?: AbortSignal, onRead?: (items: any[]) => void, onAgain?: (files: any[]) => void, onReadAgain?: (items: any[]) => void }} [options] `isAgain` tells whether they belong to an earlier
   *   job: then the reports of earlier jobs stay. `isSynced` tells that they are in a folder that is kept in sync, from which a PDF is drawn, `signal` stops the
   *   job, `onRead` is called with the files when all are read, before they are embedded, `onAgain` with those that another job is to read once more on request, and `onReadAgain` when it has
   */
  async add(files, collection, { isAgain = false, isSynced = false, signal, onRead, onAgain, onReadAgain } = {}) {
    this.removals.settle(); // new documents may have the ids of removed ones
    if (!isAgain) this.#takeOff(this.#all.filter(({ adding }) => adding.state === "done"));
    let report = null;
    const { kb, changed, onProgress } = this;
    const keep = async (document, file) => {
      try {
        const isStored = ((await kb.stats()).library?.kind ?? "memory") !== "memory"; // otherwise the documents are gone with the tab
        await (isStored && !isSynced ? keepPdf(document, file) : forgetPdf(document));
      } catch (error) {
        console.debug("PDF file not kept:", error); // its document is in the library, and the reader shows its text
      }
    };
    const adding = new AddJob({ kb, collection, files, onProgress, keep, onChange: () => report?.later(), onIn: (ids) => (changed.value = { added: ids }) });
    const arePictures = adding.items.every(({ path }) => isPicture(path)); // whose text can be recognised; among notes, they are only skipped
    if (files.length > FEW && !arePictures) for (const item of adding.items) if (item.file && !item.recognise && !isReadable(item.path)) item.state = "passed";
    const read = this.#inTurn(() => this.during(() => adding.read(), t("Reading files…")));
    report = new Report(adding, {
      again: (some) => {
        onAgain?.(some);
        return this.add(some, collection, { isAgain: true, isSynced, onRead: onReadAgain, onAgain, onReadAgain });
      },
      say: (text) => (this.said.textContent = text),
    });
    this.place.append(report.element);
    signal?.addEventListener("abort", () => adding.cancel(), { once: true });
    if (signal?.aborted) adding.cancel();
    const over = this.#finish(adding, report, read, onRead);
    this.#all.push({ adding, report, over, isSynced });
    await over;
    return adding.items;
  }

  async #finish(adding, report, read, onRead) {
    await read;
    onRead?.(adding.items);
    await this.during(() => adding.understand());
    report.draw();
    this.changed.value = {};
  }

  /** Stops the jobs of a collection, or all of them for null, and then runs `work`; files dropped meanwhile wait for it. */
  async without(collection, work) {
    this.removals.settle();
    const concerned = this.#of(collection);
    for (const { adding } of concerned) adding.cancel();
    const ended = Promise.all(concerned.filter(({ adding }) => adding.state !== "done").map(({ over }) => over));
    const result = ended.then(work);
    this.#hold(result);
    await result;
    this.#takeOff(concerned);
    return result;
  }

  #of(collection) {
    return this.#all.filter(({ adding }) => collection === null || adding.collection === collection);
  }

  /** Removes the reports of finished jobs from the page. */
  #takeOff(gone) {
    for (const { report } of gone) report.element.remove();
    this.#all = this.#all.filter((one) => !gone.includes(one));
  }

  /** Starts immediately if nothing is queued. */
  #inTurn(work) {
    const done = this.#ahead === 0 ? work() : this.#before.then(work);
    this.#hold(done);
    return done;
  }

  #hold(done) {
    this.#ahead += 1;
    this.#before = Promise.allSettled([this.#before, done]).then(() => void (this.#ahead -= 1));
  }
}
