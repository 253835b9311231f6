// Where a chunk stands, by its id: traces name chunks, and people want to read them.

import { h, pathOf } from "../dom.js";
import { documentAt } from "../kept.js";
import { parseChunkId } from "../vademecum/index.js";

export class Places {
  #kb;
  #asked = new Map(); // documents that are being looked at: a list names many chunks of one at once

  constructor(kb) {
    this.#kb = kb;
  }

  /** `{ collection, docId, title, headings, span }`, or null where the chunk is gone. */
  async find(chunkId) {
    const place = parseChunkId(chunkId);
    const chunks = place ? await this.#chunks(place.collection, place.docId) : [];
    return chunks.find(({ id }) => id === chunkId) ?? null;
  }

  /** Never one of before: documents are replaced and removed. */
  #chunks(collection, docId) {
    const key = JSON.stringify([collection, docId]);
    if (!this.#asked.has(key)) {
      const chunks = documentAt(this.#kb, { collection, docId }).then((document) => document?.chunks ?? []);
      this.#asked.set(key, chunks.finally(() => this.#asked.delete(key)));
    }
    return this.#asked.get(key);
  }

  /**
   * A button that opens the chunk, named by its id until its title is known.
   * @param view `{ open, kept }`: `kept` has passages as they were found, by their ids
   */
  button(chunkId, { open, kept }) {
    const button = h("button.link", { type: "button" }, chunkId);
    const look = async () => {
      const was = kept.get(chunkId);
      const now = await this.find(chunkId);
      const place = was ?? now;
      if (place) button.textContent = pathOf(place).join(" › ") + (now ? "" : " (removed since)");
      else Object.assign(button, { disabled: true, textContent: `${chunkId} (not in the library any more)` });
      return place && { ...place, kept: was };
    };
    look().catch(() => {}); // whoever wants to read it is told
    button.onclick = async () => {
      const place = await look().catch(() => kept.get(chunkId));
      if (place) open(place);
    };
    return button;
  }

  list(chunkIds, view) {
    return h("ol.chunks", {}, ...chunkIds.map((id) => h("li", {}, this.button(id, view))));
  }
}
