// Where a chunk stands, by its id: traces name chunks, and people want to read them.

import { h, pathOf } from "../dom.js";

export class Places {
  #kb;
  #documents = new Map();

  constructor(kb) {
    this.#kb = kb;
  }

  /** `{ collection, docId, title, headings, span }`, or null where the chunk is gone. */
  async find(chunkId) {
    const { collections } = await this.#kb.stats();
    const end = chunkId.lastIndexOf("#");
    // A collection's name may hold a slash, and so may a document's id.
    for (const { name } of collections.filter(({ name }) => chunkId.startsWith(`${name}/`))) {
      const chunks = await this.#chunks(name, chunkId.slice(name.length + 1, end));
      const chunk = chunks.find(({ id }) => id === chunkId);
      if (chunk) return chunk;
    }
    return null;
  }

  #chunks(collection, docId) {
    const key = JSON.stringify([collection, docId]);
    if (!this.#documents.has(key)) {
      const chunks = this.#kb.document(collection, docId).then((document) => document.chunks, () => []);
      this.#documents.set(key, chunks);
      if (this.#documents.size > 100) this.#documents.delete(this.#documents.keys().next().value);
    }
    return this.#documents.get(key);
  }

  /** A button that opens the chunk, named by its id until its title is known. */
  button(chunkId, open) {
    const button = h("button.link", { type: "button" }, chunkId);
    this.find(chunkId).then((place) => {
      if (!place) return Object.assign(button, { disabled: true, title: "It is not in the library any more" });
      button.textContent = pathOf(place).join(" › ");
      button.onclick = () => open(place);
    });
    return button;
  }

  list(chunkIds, open) {
    return h("ol.chunks", {}, ...chunkIds.map((id) => h("li", {}, this.button(id, open))));
  }
}
