// The types of errors; `index.d.ts` exports them all.

import type { ErrorCode } from "./generated/error-codes.js";

/** A code as it stands in an error: one of those known, or, where a later version or a function of yours says another, any text. */
export type Code = ErrorCode | (string & {});

/** What every failing call rejects with. The message says what was expected, what came, and how to mend it. */
export class VademecumError extends Error {
  /** Made by the package itself; functions of yours may throw one as well, with a code that the caller is to see. */
  constructor(message: string, options?: { code?: Code | undefined; retryable?: boolean | undefined; cause?: unknown });
  /** `VademecumError`, also across realms, where `instanceof` cannot tell. */
  readonly name: "VademecumError";
  /** Stable; listed in the README. `internal` unless something else is known. */
  readonly code: Code;
  /** Whether the same call may succeed later without a change: a busy endpoint, a network that was away. */
  readonly retryable: boolean;
  /** What it comes from, where that is known and was no error of this package, as plain data. */
  readonly cause?: unknown;
}
