// Declares remote collections on the page, and calls their functions. Records searches and asks vetoes; the engine's worker may make the searches that
// need neither (`remote-engine.js`). Fetched when the first one is attached.

import { aborted, ended, invalid, VademecumError } from "./error.js";
import { REMOTE_OPTIONS } from "./generated/searcher-table.js";
import { here } from "./here.js";
import { asJson } from "./json.js";
import { whyNotSent } from "./ledger.js";
import { checked, data, flag, func, REMOTE, shown, string, text } from "./options.js";
import { unlessAborted } from "./wait.js";

/** Codes that a collection may give its errors; any other becomes `remote_failed`. */
const CODES = /^(remote_|embedder_mismatch$|send_denied$)/;

const LEAVES = { url: string, query: flag, vector: flag };
const optional = (kind) => (name, value) => (value === undefined || value === null ? undefined : kind(name, value));

/** Returns what a collection declares, as the engine reads it, and its functions. */
export function declared(where, collection, options) {
  if (typeof collection?.search !== "function") throw invalid(where, "an object with a method `search`", shown(collection));
  const { onBeforeSend, ...own } = checked("attach", options, REMOTE_OPTIONS);
  const { description, schema, embedder, leaves } = collection;
  if (collection.get !== undefined && collection.get !== null) func(`${where}.get`, collection.get);
  const stays = leaves === null;
  const named = stays ? null : { ...optional((name, value) => checked(name, value, LEAVES))(`${where}.leaves`, leaves) };
  const read = {
    description: optional(string)(`${where}.description`, description),
    schema: optional(data("an object such as { year: \"number\" }"))(`${where}.schema`, schema),
    embedder: optional(text)(`${where}.embedder`, embedder),
    leaves: named,
    ...own,
  };
  return { json: JSON.stringify(read), one: { collection, leaves: named, onBeforeSend } };
}

/** The remote collections of a knowledge base, by a key that the engine knows them by. */
export class Remotes {
  #known = new Map();
  #last = 0;

  /** @param {{ name: string, key: number, options: string }[]} list the declarations that the engine receives, also when it starts again */
  constructor(list) {
    this.list = list;
  }

  /** Attaches a collection, or a library in parts by its address; `call` calls the engine. */
  async attach(call, name, collection, options) {
    if (isAddress(name) && !isAddress(collection) && typeof collection?.search !== "function") return this.attach(call, nameOf(name), name, collection);
    string("name", name);
    const own = isAddress(collection) ? await (await import("./parts.js")).attach(collection) : null;
    const library = own ?? (typeof collection?.asCollection === "function" ? collection : null);
    try {
      // What is not found soon is not needed soon: of a library in parts, each hit has to be fetched.
      const { json, one } = declared("collection", library ? await library.asCollection() : collection, library ? { ...OF_PARTS, ...options } : options);
      const key = this.#add(name, { ...one, own });
      const told = { name, key, options: json };
      try {
        await call("attach", told);
        this.list.push(told);
      } catch (error) {
        this.#known.delete(key);
        throw error;
      }
    } catch (error) {
      await own?.close();
      throw error;
    }
  }

  /** Closes the libraries that were attached by their addresses. */
  async close() {
    await Promise.all([...this.#known.values()].map(({ own }) => own?.close()));
  }

  async detach(call, name) {
    const found = await call("detach", { name: string("name", name) });
    for (const { key } of this.list.filter((one) => one.name === name)) {
      await this.#known.get(key)?.own?.close();
      this.#known.delete(key);
    }
    this.list.splice(0, this.list.length, ...this.list.filter((one) => one.name !== name));
    return found;
  }

  /** Searches a collection for a step of a pipeline, as a function of the user's does: the question is embedded on the device. */
  async once(call, collection, { question, collection: name, hops: _, mode = "hybrid", ...limits }, { signal, owner }) {
    const { json, one } = declared("searcher", collection);
    const key = this.#add(name, { ...one, owner });
    // Without a bound of its own, a search lasts as long as the run waits for it.
    const options = JSON.stringify({ ...JSON.parse(json), deadlineMs: LONGEST });
    const request = { ...limits, query: question, mode: mode === "semantic" ? "vector" : mode };
    try {
      await call("loadEmbedder", {}, { signal });
      const { hits } = await call("searchRemote", { name, key, options, request }, { signal });
      return hits;
    } finally {
      this.#known.delete(key);
    }
  }

  #add(name, one) {
    const key = ++this.#last;
    this.#known.set(key, { name, ...one });
    return key;
  }

  /**
   * Calls a collection for the engine. `owner` is the run that asks, if one does. Returns the reply as JSON text; of a search as `{ reply, chroma }`,
   * with the options of a server that the engine may ask itself from now on.
   */
  async answer({ key, request, ids, vector }, { signal }, owner) {
    const known = this.#known.get(key);
    if (!known) throw aborted();
    const { name, collection } = known;
    try {
      const asked = request ? { ...request, vector: vector ?? null } : ids;
      if (!request && !collection.get) return undefined;
      if (known.leaves) await this.#admitted(known, asked, { signal, owner: owner ?? known.owner });
      const { run: _, ids: wanted, ...rest } = asked;
      const call = async () => (request ? collection.search(rest, { signal }) : collection.get(wanted, { signal }));
      const given = await unlessAborted(signal, call());
      // Those of the package's own are made of JSON.
      const reply = collection[REMOTE] ? given : asJson("reply", given, (path, what) => unusable(name, path, what));
      return request ? { reply: JSON.stringify(reply), chroma: asked.run ? undefined : chromaOf(known) } : JSON.stringify({ documents: reply });
    } catch (thrown) {
      if (signal.aborted) throw aborted();
      throw failure(name, thrown);
    }
  }

  /** Resolves if a search may leave the device. */
  async #admitted({ name, leaves, onBeforeSend }, asked, { signal, owner }) {
    const { vector, query, filters, documents, limit, mode, threshold, ids } = asked;
    const search = { collection: name, url: leaves.url ?? "" };
    if (ids) Object.assign(search, { document: ids[0] });
    else Object.assign(search, { query, dimensions: vector?.length ?? null, mode, limit, threshold, filters, documents });
    if (owner) return owner.ledger.admitSearch(search, { step: owner.step ?? "search", signal, onBeforeSend });
    const reason = onBeforeSend ? await whyNotSent(onBeforeSend, search, { signal }) : null;
    if (reason !== null) throw denied(name, reason);
  }
}

/** Options of a library in parts: a first question fetches more than later ones. */
const OF_PARTS = { candidates: 20, deadlineMs: 10_000 };

/** The source of the browser's own `fetch`: that of a bound function or of a proxy has no name. */
const OWN_FETCH = /^function fetch\(\)\s*\{\s*\[native code\]\s*\}$/;

/**
 * Returns the options of a Chroma server that has answered the page, by which the engine's worker may search it; undefined if a function of the page has a
 * part in each search: a veto, a `search` around that of the package, or a `fetch` in place of the browser's.
 */
function chromaOf({ collection, onBeforeSend, owner }) {
  const { search, chroma } = collection[REMOTE] ?? {};
  if (!chroma || owner || onBeforeSend || search !== collection.search) return undefined;
  return OWN_FETCH.test(Function.prototype.toString.call(globalThis.fetch)) ? chroma : undefined;
}

const isAddress = (value) => value instanceof URL || (typeof value === "string" && (/[/.]/.test(value)));

/** Returns the name of the folder that a manifest is in. */
function nameOf(url) {
  const path = new URL(url, here()).pathname.split("/").filter(Boolean);
  return decodeURIComponent(path.at(/\.json$/.test(path.at(-1) ?? "") ? -2 : -1) ?? "library");
}

/** Milliseconds: as long as a timer can wait. */
const LONGEST = 2 ** 31 - 1;

const denied = (name, reason) =>
  new VademecumError(`\`onBeforeSend\` rejected the search of the remote collection \`${name}\`: ${reason}. Return the payload to send it.`, { code: "send_denied" });

/** Characters of a path in a message. */
const SHOWN = 80;

const unusable = (name, path, what) =>
  new VademecumError(`The reply of the remote collection \`${name}\` cannot be used: \`${path.replace(/^reply\.?(?=.)/, "").slice(0, SHOWN)}\` must be plain data, but was ${what}.`, { code: "remote_reply" });

function failure(name, thrown) {
  if (thrown?.name === "VademecumError" && CODES.test(thrown.code)) return thrown;
  const message = `The remote collection \`${name}\` failed: ${ended(thrown?.message ?? thrown)}.`;
  return new VademecumError(message, { code: "remote_failed", retryable: thrown?.retryable === true, cause: thrown });
}
