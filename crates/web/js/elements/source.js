// What an element searches: a value of the page, or a library in parts that is attached by the address of its manifest when it is first needed.

export class SearchSource {
  /** @type {any} */
  #value = null;
  /** @type {string | null} */
  #address = null;
  /** @type {Promise<any> | null} */
  #attaching = null;

  /** The page's own source, which takes precedence over the address. */
  get value() {
    return this.#value;
  }
  set value(value) {
    this.#value = value ?? null;
  }

  /** The address of a manifest, or null. */
  set address(address) {
    if (address === this.#address) return;
    this.release();
    this.#address = address;
  }

  /** Resolves to the source, or null if none is set. The next call repeats a failed attachment. */
  async get() {
    if (this.#value) return this.#value;
    if (!this.#address) return null;
    this.#attaching ??= attached(this.#address);
    const attaching = this.#attaching;
    return attaching.catch((error) => {
      if (this.#attaching === attaching) this.#attaching = null;
      throw error;
    });
  }

  /** Closes a library that was attached here. */
  release() {
    const attaching = this.#attaching;
    this.#attaching = null;
    attaching?.then((library) => library.close()).catch(() => {}); // of one that could not be attached there is nothing to close
  }
}

async function attached(address) {
  const { attach } = await import("../parts.js");
  return attach(new URL(address, document.baseURI));
}
