// Removals that can be undone for some seconds: until then the documents stay in the library, with their vectors. Pending removals are
// remembered, so that the documents are gone at the next visit even if the page is closed meanwhile.

import { isReadOnly } from "../read-only.js";
import { remember, remembered } from "../remember.js";

/** Milliseconds in which a removal can be undone, and between two checks whether the user is about to undo it. */
const PATIENCE = 10_000;
const AGAIN = 1_000;
const REMEMBERED = "removing";

export class Removals {
  #kb;
  #tell;
  #complain;
  #isHeld;
  #waiting = []; // `{ collection, id, title, timer }`

  /**
   * @param tell called with the ids that were removed, or with none if only the pending removals have changed
   * @param complain called with errors
   * @param isHeld returns whether the user is about to undo one
   */
  constructor({ kb, tell, complain, isHeld }) {
    this.#kb = kb;
    this.#tell = tell;
    this.#complain = complain;
    this.#isHeld = isHeld;
  }

  /** Whether a document is being removed. */
  has({ collection, id }) {
    return this.#waiting.some((one) => one.collection === collection && one.id === id);
  }

  /** Removes a document, unless this is undone in time. */
  async remove(collection, id) {
    const one = { collection, id };
    this.#waiting.push(one); // immediately: any later operation carries it out first
    this.#expect(one, PATIENCE);
    this.#tell([]);
    if (!(await isReadOnly(this.#kb))) return this.#note();
    if (this.#take((other) => other === one).length > 0) await this.#carryOut([one]); // reports why it is impossible
  }

  undo({ collection, id }) {
    this.#take((one) => one.collection === collection && one.id === id);
    this.#note();
    this.#tell([]);
  }

  /** Carries out pending removals: before the library is queried, changed, or written to a file. */
  settle() {
    return this.#carryOut(this.#take(() => true));
  }

  #expect(one, ms) {
    one.timer = setTimeout(() => {
      if (this.#isHeld()) this.#expect(one, AGAIN);
      else void this.#carryOut(this.#take((other) => other === one));
    }, ms);
  }

  /** Takes the pending removals that match. */
  #take(is) {
    const taken = this.#waiting.filter(is);
    for (const { timer } of taken) clearTimeout(timer);
    this.#waiting = this.#waiting.filter((one) => !taken.includes(one));
    return taken;
  }

  async #carryOut(gone) {
    if (gone.length === 0) return;
    try {
      await removeAll(this.#kb, gone);
      this.#note();
      this.#tell(gone.map(({ id }) => id));
    } catch (error) {
      if (error.code !== "read_only") this.#note(); // otherwise another tab may have stored something
      this.#tell([]); // they are still there
      this.#complain(error);
    }
  }

  #note() {
    remember(REMEMBERED, this.#waiting.map(({ collection, id }) => [collection, id]));
  }
}

/** Carries out the removals that an earlier visit, or a closed tab, left pending. */
export async function finishRemovals(kb) {
  const waiting = remembered(REMEMBERED, []);
  if (waiting.length === 0) return;
  const { collections } = await kb.stats();
  const known = waiting.filter(([collection]) => collections.some(({ name }) => name === collection));
  await removeAll(kb, known.map(([collection, id]) => ({ collection, id })));
  remember(REMEMBERED, []);
}

async function removeAll(kb, documents) {
  const byCollection = Map.groupBy(documents, ({ collection }) => collection);
  await Promise.all([...byCollection].map(([collection, some]) => kb.remove(collection, some.map(({ id }) => id))));
}
