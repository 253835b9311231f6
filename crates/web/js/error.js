import { nearest } from "./nearest.js";

/** The error of all failing calls of this package. `code` is stable; the message says how to fix it. */
export class VademecumError extends Error {
  /** @param {string} message @param {{ code?: string, retryable?: boolean, cause?: unknown }} [about] */
  constructor(message, { code = "internal", retryable = false, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "VademecumError";
    this.code = code;
    this.retryable = retryable;
  }
}

/** Converts anything thrown to plain data that can be sent to another thread. */
export function toPlain(thrown) {
  if (thrown?.name === "AbortError") return toPlain(aborted());
  const message = String(thrown?.message ?? thrown);
  const plain = { message, code: typeof thrown?.code === "string" ? thrown.code : "internal", retryable: thrown?.retryable === true };
  // Errors of other types become one of this package on the other side; this preserves their description.
  return thrown?.name === "VademecumError" ? plain : { ...plain, cause: causeOf(thrown) };
}

/** Returns a thrown value as plain data. */
export function causeOf(thrown) {
  const cause = { message: String(thrown?.message ?? thrown) };
  if (typeof thrown?.name === "string") cause.name = thrown.name;
  if (["string", "number"].includes(typeof thrown?.code)) cause.code = String(thrown.code);
  return cause;
}

/** The inverse of `toPlain`. */
export const fromPlain = ({ message, ...rest }) => new VademecumError(message, rest);

/** Removes the final full stop of a browser's message, which only some have. */
export const ended = (words) => String(words).replace(/[.\s]+$/, "");

export const aborted = () =>
  new VademecumError("The operation was aborted by its signal.", { code: "aborted" });

/** An error for features that this build or environment does not support. */
export const unsupported = (message) => new VademecumError(message, { code: "unsupported" });

export const invalid = (name, expected, got, hint = "") =>
  new VademecumError(`\`${name}\` must be ${expected}, but was ${got}.${hint}`, { code: "invalid_argument" });

/** Returns the end of a message about an unknown name: the nearest known one, or nothing. */
export function meant(name, known, as = (one) => `\`${one}\``) {
  const near = typeof name === "string" ? nearest(name, known) : undefined;
  return near === undefined ? "" : ` Did you mean ${as(near)}?`;
}

/**
 * Rejects unknown options, because misspelt ones must not be ignored silently.
 * @param {(key: string) => string} elsewhere ends the message about an unknown option that is not a typo
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
