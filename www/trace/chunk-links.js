// Buttons that open chunks: traces refer to chunks by id, and this looks up their titles and positions.

import { h } from "../dom.js";
import { documentAt } from "../run-snapshot.js";
import { namesOf } from "../vademecum/elements/nodes.js";
import { parseChunkId } from "../vademecum/index.js";
import { t } from "../words.js";

export class ChunkLinks {
  #kb;
  #asked = new Map(); // lookups in progress: a list refers to many chunks of one document at once

  constructor(kb) {
    this.#kb = kb;
  }

  /** Returns `{ collection, docId, title, headings, span }`, or null if the chunk is gone. */
  async find(chunkId) {
    const place = parseChunkId(chunkId);
    const chunks = place ? await this.#chunks(place.collection, place.docId) : [];
    return chunks.find(({ id }) => id === chunkId) ?? null;
  }

  /** Only lookups in progress are shared, because documents are replaced and removed. */
  #chunks(collection, docId) {
    const key = JSON.stringify([collection, docId]);
    if (!this.#asked.has(key)) {
      const chunks = documentAt(this.#kb, { collection, docId }).then((document) => document?.chunks ?? []);
      this.#asked.set(key, chunks.finally(() => this.#asked.delete(key)));
    }
    return this.#asked.get(key);
  }

  /**
   * Returns a button that opens the chunk, labelled with its id until its title is known.
   * @param view `{ open, kept }`: `kept` contains passages as they were found, by id
   */
  button(chunkId, { open, kept }) {
    const button = h("button.link", { type: "button" }, chunkId);
    const look = async () => {
      const was = kept.get(chunkId);
      const now = await this.find(chunkId);
      const place = was ?? now;
      if (place) button.textContent = namesOf(place).join(" › ") + (now ? "" : t(" (removed since)"));
      else Object.assign(button, { disabled: true, textContent: t`${chunkId} (no longer in the library)` });
      return place && { ...place, kept: was };
    };
    look().catch(() => {}); // reported when it is clicked
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
