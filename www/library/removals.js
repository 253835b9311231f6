// Removals that can be undone for some seconds: until then the documents stay in the library, with their vectors. Pending removals are
// remembered, so that the documents are gone at the next visit even if the page is closed meanwhile.

import { isReadOnly } from "../read-only.js";
import { remember, remembered } from "../remember.js";
import { isToastHeld, toast } from "./toasts.js";
import { t } from "../words.js";

/** Milliseconds in which a removal can be undone, and between two checks whether the user is about to undo it. */
const PATIENCE = 10_000;
const AGAIN = 1_000;
const REMEMBERED = "removing";

const keyOf = ({ collection, id }) => JSON.stringify([collection, id]);

/** @typedef {{ documents: { collection: string, id: string }[], timer?: ReturnType<typeof setTimeout>, shown?: { close: () => void } }} Group */

export class Removals {
  #kb;
  #tell;
  #complain;
  #say;
  /** @type {Group[]} documents that were removed together */
  #waiting = [];
  #keys = new Set(); // of all documents that wait

  /**
   * @param tell called with the ids that were removed, or with none if only the pending removals have changed
   * @param complain called with errors
   * @param say called with a sentence for screen readers
   */
  constructor({ kb, tell, complain, say }) {
    this.#kb = kb;
    this.#tell = tell;
    this.#complain = complain;
    this.#say = say;
  }

  /** Whether no document is being removed. */
  get isEmpty() {
    return this.#keys.size === 0;
  }

  /** Whether a document is being removed. */
  has(document) {
    return this.#keys.has(keyOf(document));
  }

  /**
   * Removes documents together, unless this is undone in time.
   *
   * @param {{ collection: string, id: string }[]} documents
   * @param {string} name what they are called, such as the file that they are rows of
   * @param {{ focus?: boolean, onUndo?: () => void }} [options] `focus` moves the focus to the action
   */
  async remove(documents, name, { focus = false, onUndo } = {}) {
    /** @type {Group} */
    const group = { documents };
    const undo = () => {
      this.#undo(group);
      onUndo?.();
      this.#say(t`${name} is back in the library.`);
    };
    const shown = toast({ text: t`Removed ${name}.`, action: t("Undo"), label: t`Undo: keep ${name}`, onAction: undo });
    group.shown = shown;
    this.#waiting.push(group); // immediately: any later operation carries it out first
    this.#count();
    this.#expect(group, PATIENCE);
    this.#tell([]);
    if (focus) shown.focus();
    this.#say(t`${name} was removed. You can undo this for a few seconds.`);
    if (!(await isReadOnly(this.#kb))) return this.#note();
    if (this.#take((other) => other === group).length > 0) await this.#carryOut([group]); // reports why it is impossible
  }

  #undo(group) {
    this.#take((other) => other === group);
    this.#note();
    this.#tell([]);
  }

  /** Carries out pending removals: before the library is queried, changed, or written to a file. */
  settle() {
    return this.#carryOut(this.#take(() => true));
  }

  #expect(group, ms) {
    group.timer = setTimeout(() => {
      if (isToastHeld()) this.#expect(group, AGAIN);
      else void this.#carryOut(this.#take((other) => other === group));
    }, ms);
  }

  /** Takes the pending removals that match. */
  #take(is) {
    const taken = this.#waiting.filter(is);
    for (const { timer, shown } of taken) {
      clearTimeout(timer);
      shown?.close();
    }
    this.#waiting = this.#waiting.filter((one) => !taken.includes(one)); // their keys stay, so that they are hidden until they are gone
    return taken;
  }

  #count() {
    this.#keys = new Set(this.#waiting.flatMap(({ documents }) => documents.map(keyOf)));
  }

  async #carryOut(groups) {
    const gone = groups.flatMap(({ documents }) => documents);
    if (gone.length === 0) return;
    try {
      await removeAll(this.#kb, gone);
      this.#note();
      this.#tell(gone.map(({ id }) => id));
    } catch (error) {
      if (error.code !== "read_only") this.#note(); // otherwise another tab may have stored something
      this.#count();
      this.#tell([]); // they are still there
      this.#complain(error);
    }
  }

  #note() {
    this.#count();
    remember(REMEMBERED, this.#waiting.flatMap(({ documents }) => documents.map(({ collection, id }) => [collection, id])));
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
