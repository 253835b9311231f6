// The types of errors; `index.d.ts` exports them all.

/** Every code an error can have. The README's table says when each comes. */
export type ErrorCode =
  | "aborted"
  | "budget_exhausted"
  | "closed"
  | "conversation_corrupt"
  | "dataset_invalid"
  | "document_too_large"
  | "duplicate_id"
  | "embedder_failed"
  | "embedder_loading"
  | "embedder_mismatch"
  | "empty_document"
  | "empty_question"
  | "filter_invalid"
  | "filter_type"
  | "function_failed"
  | "function_result"
  | "index_changed"
  | "internal"
  | "invalid_argument"
  | "invalid_state"
  | "library_corrupt"
  | "library_in_use"
  | "library_lost"
  | "library_newer"
  | "llm_cut_off"
  | "llm_failed"
  | "llm_http"
  | "llm_reply"
  | "metadata_type"
  | "model_corrupt"
  | "model_unavailable"
  | "model_unfit"
  | "module_unavailable"
  | "never_sent"
  | "no_embedder"
  | "not_utf8"
  | "read_only"
  | "send_denied"
  | "storage_failed"
  | "storage_full"
  | "storage_unavailable"
  | "tokenizer_invalid"
  | "tokenizer_mismatch"
  | "tool_denied"
  | "unknown_collection"
  | "unknown_document"
  | "unknown_field"
  | "unknown_operator"
  | "unsupported"
  | "vector_shape"
  | "worker_failed";

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
