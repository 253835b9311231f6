// Removed documents can be had back for some seconds: until then they stay in the library, with their vectors. Which they are is
// remembered, so that a document that was removed is gone at the next visit also where the page is left meanwhile.

import { isReadOnly } from "../read-only.js";
import { remember, remembered } from "../remember.js";

/** Milliseconds in which a removal can be undone, and between two looks whether somebody is about to. */
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
   * @param tell called with the ids that are gone, or with none where only what is waited for has changed
   * @param complain told of what goes wrong
   * @param isHeld whether somebody is about to undo one
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

  /** Removes a document, unless it is had back in time. */
  async remove(collection, id) {
    const one = { collection, id };
    this.#waiting.push(one); // at once: whatever comes next carries it out first
    this.#expect(one, PATIENCE);
    this.#tell([]);
    if (!(await isReadOnly(this.#kb))) return this.#note();
    if (this.#take((other) => other === one).length > 0) await this.#carryOut([one]); // which says why it cannot be
  }

  undo({ collection, id }) {
    this.#take((one) => one.collection === collection && one.id === id);
    this.#note();
    this.#tell([]);
  }

  /** Carries out what is waited for: before the library is asked, added to, or written to a file. */
  settle() {
    return this.#carryOut(this.#take(() => true));
  }

  #expect(one, ms) {
    one.timer = setTimeout(() => {
      if (this.#isHeld()) this.#expect(one, AGAIN);
      else void this.#carryOut(this.#take((other) => other === one));
    }, ms);
  }

  /** Takes those of which `is` is true out of what is waited for. */
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
      if (error.code !== "read_only") this.#note(); // else another tab may have noted something
      this.#tell([]); // they are still there
      this.#complain(error);
    }
  }

  #note() {
    remember(REMEMBERED, this.#waiting.map(({ collection, id }) => [collection, id]));
  }
}

/** Carries out what an earlier visit, or a tab that is closed, was about to remove. */
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
