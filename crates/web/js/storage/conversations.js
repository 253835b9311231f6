// Conversations that are stored with a library: each is a small JSON file beside those of the index.
//
// A state is written under two names in turn, and the previous one is removed afterwards: an interrupted write leaves
// the last complete state. The conversation's name, which may not be a valid file name, is in a file of its own that is written after
// the first state: this distinguishes an interrupted first state, which never counted, from one that was damaged later.

import { invalid, VademecumError } from "../error.js";

const VERSION = 1;
const LONGEST_NAME = 200;
/** Prefix of files that the index ignores. */
const PREFIX = "chat-";
const NAME = "-name";
/** Number of attempts to read while another tab may be writing. */
const TRIES = 5;

export class Conversations {
  #files;
  #changes = Promise.resolve();

  /** @param files a `Storage`, or `MemoryFiles` */
  constructor(files) {
    this.#files = files;
  }

  /** Returns the names of all stored conversations, sorted. */
  async names() {
    const names = [];
    for (const { name: file } of await this.#files.list()) {
      if (!file.startsWith(PREFIX) || !file.endsWith(NAME)) continue;
      const name = decoded(await this.#files.read(file));
      // An interrupted one has a file under another name.
      if (name !== null && fileOf(name) + NAME === file) names.push(name);
    }
    return names.sort();
  }

  /** Returns `{ turns, history, readOnly }`, empty if there is none yet, and `pending` if the user was asked something. */
  async load(name) {
    const { turns = [], history = [], pending } = (await this.#state(name)) ?? {};
    return { turns, history, ...(pending && { pending }), readOnly: this.#files.readOnly === true };
  }

  /** Replaces the stored state, even a damaged one. */
  save(name, { turns, history, pending }) {
    return this.#change(async () => {
      const file = fileOf(name);
      const before = await this.#state(name).catch(orDamaged);
      const generation = (before?.generation ?? 0) + 1;
      await this.#files.write(slot(file, generation), encoded(JSON.stringify({ version: VERSION, name, generation, turns, history, pending })));
      if (!(await this.#isNamed(name))) await this.#files.write(file + NAME, encoded(name));
      await this.#files.remove(slot(file, generation + 1)).catch(() => {}); // the newer one counts
    });
  }

  /** Does nothing if it does not exist. */
  delete(name) {
    return this.#change(async () => {
      const file = fileOf(name);
      for (const part of [slot(file, 0), slot(file, 1), file + NAME]) await this.#files.remove(part);
    });
  }

  /** Returns the stored state, or null. */
  async #state(name) {
    const slots = [0, 1].map((generation) => slot(fileOf(name), generation));
    for (let left = TRIES; ; left -= 1) {
      const read = [];
      for (const file of slots) {
        const bytes = await this.#files.read(file);
        if (bytes !== null) read.push(parsed(name, decoded(bytes)));
      }
      const whole = read.filter(({ wrong }) => !wrong).sort((one, other) => other.generation - one.generation);
      if (whole.length > 0) return whole[0];
      // Between the two reads, another tab may have written one and removed the other.
      const mayChange = this.#files.readOnly && (await this.#files.list()).some(({ name: file }) => slots.includes(file));
      if (left > 1 && mayChange) continue;
      if (read.length > 0 && (await this.#isNamed(name))) throw corrupt(name, read[0].wrong);
      return null;
    }
  }

  async #isNamed(name) {
    return decoded(await this.#files.read(fileOf(name) + NAME)) === name;
  }

  /** Serialises changes, because each has several steps. */
  #change(run) {
    const change = this.#changes.then(run);
    this.#changes = change.catch(() => {});
    return change;
  }
}

const slot = (file, generation) => `${file}-${generation % 2}.json`;
const encoded = (text) => new TextEncoder().encode(text);

function decoded(bytes) {
  if (bytes === null) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Parses the state in a file's text; returns it or `{ wrong }`. */
function parsed(name, text) {
  let state;
  try {
    state = JSON.parse(text);
  } catch {
    return { wrong: "its file is cut short or has changed" };
  }
  if (state?.version > VERSION) return { wrong: `a later version of the package wrote it (format ${state.version}); update the package to go on` };
  if (state?.version !== VERSION || state.name !== name || !Number.isSafeInteger(state.generation)) return { wrong: "its file holds something else" };
  const wrong = wrongState(state);
  return wrong ? { wrong } : state;
}

/** Returns what is wrong with stored turns, history and clarification, or null. */
export function wrongState(state) {
  const isTurn = (turn) => typeof turn?.question === "string" && typeof turn.answer === "string";
  const isList = (list) => Array.isArray(list) && list.every(isTurn);
  if (!isList(state?.turns)) return "its `turns` are no list of { question, answer }";
  if (!isList(state.history)) return "its `history` is no list of { question, answer }";
  return isPending(state.pending ?? null) ? null : "its `pending` is no { question, clarification, state }";
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isPending = (pending) => pending === null || (typeof pending.question === "string" && isObject(pending.clarification) && isObject(pending.state));

const corrupt = (name, why) =>
  new VademecumError(
    `The conversation “${name}” cannot be read: ${why}. Nothing was changed. Begin it anew with its \`clear()\`, or delete it with ` +
      "`kb.deleteConversation(name)`.",
    { code: "conversation_corrupt" },
  );

function orDamaged(error) {
  if (error.code !== "conversation_corrupt") throw error;
  return null;
}

/** Names may be long, and contain any characters: files are named by 128 bits of hash, and contain the name. */
function fileOf(name) {
  const bytes = encoded(name);
  const part = (seed) => bytes.reduce((hash, byte) => mixed(hash ^ byte), seed);
  const parts = [0x811c9dc5, 0x9e3779b9, 0x85ebca6b, 0xc2b2ae35].map((seed) => part(seed ^ bytes.length));
  return PREFIX + parts.map((hash) => hash.toString(16).padStart(8, "0")).join("");
}

/** Mixes the bits of a number: otherwise, names that collide with one seed would collide with all. */
function mixed(number) {
  let hash = Math.imul(number ^ (number >>> 16), 0x45d9f3b);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}

/** Returns a conversation's name, or throws an error that states the requirements. */
export function conversationName(option, name) {
  const length = typeof name === "string" ? [...name].length : 0;
  if (length < 1 || length > LONGEST_NAME) {
    throw invalid(option, `a name of 1 to ${LONGEST_NAME} characters`, typeof name === "string" ? `${length} long` : typeof name);
  }
  // An unpaired surrogate has no UTF-8 form: two such names would become one.
  if (/\p{Surrogate}/u.test(name)) throw invalid(option, "well-formed Unicode", "a text with half a surrogate pair");
  return name;
}
