// All addings of files there are: their files are read one adding after another, and whoever deletes ends those it concerns first.

import { h } from "../dom.js";
import { Adding } from "./adding.js";
import { isReadable } from "./readers/index.js";
import { Report } from "./reports.js";

/** Among more files than this, those that cannot be read are passed over; each of a few is told of. */
const FEW = 30;

export class Addings {
  #all = []; // `{ adding, report, over }`, until its report is taken off the page
  #before = Promise.resolve(); // what is done before the next one's files are read
  #ahead = 0; // how much of that there is

  /** @param place the element that shows them; the others are what the parts of the page share: see main.js */
  constructor({ kb, changed, onProgress, during, removals, place }) {
    this.kb = kb;
    this.changed = changed;
    this.onProgress = onProgress;
    this.during = during;
    this.removals = removals;
    this.place = place;
    // Apart from what it is about, and there from the beginning: what changes often, or comes later, is not read out well.
    this.said = h("p.visually-hidden.adding-told", { role: "status" });
    place.before(this.said);
  }

  /** Whether files are not all read: those are gone when the tab is. */
  get isReading() {
    return this.#all.some(({ adding }) => ["waiting", "reading"].includes(adding.state));
  }

  /** Whether something is being added, to this collection where one is named. */
  isBusy(collection = null) {
    return this.#of(collection).some(({ adding }) => adding.state !== "done");
  }

  /**
   * Adds files, and shows how far it is.
   *
   * @param files `{ path, file, encoding? }` each, or `{ path, error }` of one that cannot be had
   * @param isAgain whether they are some of an earlier adding: then the reports of earlier ones stay
   */
  async add(files, collection, { isAgain = false } = {}) {
    this.removals.settle(); // what comes now may have the id of what goes
    if (!isAgain) this.#takeOff(this.#all.filter(({ adding }) => adding.state === "done"));
    let report = null;
    const { kb, changed, onProgress } = this;
    const adding = new Adding({ kb, collection, files, onProgress, onChange: () => report?.later(), onIn: (ids) => (changed.value = { added: ids }) });
    if (files.length > FEW) for (const item of adding.items) if (item.file && !isReadable(item.path)) item.state = "passed";
    const read = this.#inTurn(() => this.during(() => adding.read(), "Reading files…"));
    report = new Report(adding, {
      again: (some) => this.add(some, collection, { isAgain: true }),
      say: (text) => (this.said.textContent = text),
    });
    this.place.append(report.element);
    const over = this.#finish(adding, report, read);
    this.#all.push({ adding, report, over });
    await over;
  }

  async #finish(adding, report, read) {
    await read;
    await this.during(() => adding.understand());
    report.draw();
    this.changed.value = {};
  }

  /** Ends what is being added to a collection, or to all where it is null, and then does `work`; what is dropped meanwhile waits for that. */
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

  /** Takes the reports of addings that are over off the page. */
  #takeOff(gone) {
    for (const { report } of gone) report.element.remove();
    this.#all = this.#all.filter((one) => !gone.includes(one));
  }

  /** Begins at once where nothing else is to be done first. */
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
