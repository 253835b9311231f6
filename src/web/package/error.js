/** What every failing call of this package rejects with. `code` is stable; the message says how to mend it. */
export class VademecumError extends Error {
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
  return {
    message: String(thrown?.message ?? thrown),
    code: typeof thrown?.code === "string" ? thrown.code : "internal",
    retryable: thrown?.retryable === true,
  };
}

/** The reverse of `toPlain`. */
export const fromPlain = ({ message, ...rest }) => new VademecumError(message, rest);

export const aborted = () =>
  new VademecumError("The operation was aborted by its signal.", { code: "aborted" });

export const invalid = (name, expected, got) =>
  new VademecumError(`\`${name}\` must be ${expected}, but was ${got}.`, { code: "invalid_argument" });

/** Rejects options that nobody would read: a misspelt one must not be ignored in silence. */
export function onlyKnown(name, options, known) {
  for (const key of Object.keys(options ?? {})) {
    if (!known.includes(key)) throw invalid(name, `an object with ${known.join(", ")}`, `one with \`${key}\``);
  }
}

export const closed = () =>
  new VademecumError("This KnowledgeBase is closed. Open it again with `KnowledgeBase.open(…)` or `KnowledgeBase.memory()`.", { code: "closed" });
