import { nearest } from "./nearest.js";

/** What every failing call of this package rejects with. `code` is stable; the message says how to mend it. */
export class VademecumError extends Error {
  /** @param {string} message @param {{ code?: string, retryable?: boolean, cause?: unknown }} [about] */
  constructor(message, { code = "internal", retryable = false, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "VademecumError";
    this.code = code;
    this.retryable = retryable;
  }
}

/** Anything thrown, as plain data that can cross to another thread. */
export function toPlain(thrown) {
  if (thrown?.name === "AbortError") return toPlain(aborted());
  const message = String(thrown?.message ?? thrown);
  const plain = { message, code: typeof thrown?.code === "string" ? thrown.code : "internal", retryable: thrown?.retryable === true };
  // What is not an error of this package becomes one on the other side: there, this tells what it was.
  return thrown?.name === "VademecumError" ? plain : { ...plain, cause: causeOf(thrown) };
}

/** What was thrown, as plain data. */
export function causeOf(thrown) {
  const cause = { message: String(thrown?.message ?? thrown) };
  if (typeof thrown?.name === "string") cause.name = thrown.name;
  if (["string", "number"].includes(typeof thrown?.code)) cause.code = String(thrown.code);
  return cause;
}

/** The reverse of `toPlain`. */
export const fromPlain = ({ message, ...rest }) => new VademecumError(message, rest);

/** A browser's words as part of a sentence of ours: some end with a full stop, some do not. */
export const ended = (words) => String(words).replace(/[.\s]+$/, "");

export const aborted = () =>
  new VademecumError("The operation was aborted by its signal.", { code: "aborted" });

/** What is not in this build, or cannot be where it runs. */
export const unsupported = (message) => new VademecumError(message, { code: "unsupported" });

export const invalid = (name, expected, got, hint = "") =>
  new VademecumError(`\`${name}\` must be ${expected}, but was ${got}.${hint}`, { code: "invalid_argument" });

/** The end of a message about a name that is not known: the known one that was probably meant, or nothing. */
export function meant(name, known, as = (one) => `\`${one}\``) {
  const near = typeof name === "string" ? nearest(name, known) : undefined;
  return near === undefined ? "" : ` Did you mean ${as(near)}?`;
}

/**
 * Rejects options that nobody would read: a misspelt one must not be ignored in silence.
 * @param {(key: string) => string} elsewhere ends the message about an option that is not known here and is not a slip of the keys
 */
export function onlyKnown(name, options, known, elsewhere = () => "") {
  for (const key of Object.keys(options ?? {})) {
    if (known.includes(key)) continue;
    const hint = meant(key, known) || elsewhere(key);
    throw new VademecumError(`\`${name}\` takes ${known.join(", ")}, but was given \`${key}\`.${hint}`, { code: "invalid_argument" });
  }
}

export const closed = () =>
  new VademecumError("This KnowledgeBase is closed. Open it again with `KnowledgeBase.open(…)` or `KnowledgeBase.memory()`.", { code: "closed" });
