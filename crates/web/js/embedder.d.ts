// The types of embedders; `index.d.ts` exports them all.

import type { CustomEmbedderOptions, OnnxOptions } from "./generated/embedder-options.js";

// Without this, all that stands at the top of a file of types is visible.
export {};

declare const embedder: unique symbol;
/** A description of an embedder; made by `Embedder`. */
export interface EmbedderDescription {
  /** Made by `Embedder` alone. */
  readonly [embedder]: true;
}

/** Gives one vector a text, in their order and all of one length. `vector_shape` where it does not; `embedder_failed` where it throws. */
export type EmbedFunction = (
  texts: string[],
  context: { kind: "query" | "document"; signal: AbortSignal },
) => Promise<ArrayLike<number>[]> | ArrayLike<number>[];

/** Makes descriptions of embedders, for `KnowledgeBase.open` and `KnowledgeBase.memory`. */
export const Embedder: {
  /** A sentence encoder in ONNX form, run in workers; where there are none, in place. In a service worker, models that the kernel runs; `unsupported` for others. */
  onnx(options: OnnxOptions): EmbedderDescription;
  /**
   * A function of yours. Vectors are scaled to length 1. `id` tells them from another's in a kept library: without it
   * all functions count as the same.
   */
  custom(embed: EmbedFunction, options?: CustomEmbedderOptions): EmbedderDescription;
};
