// The types of embedders; `index.d.ts` exports them all.

/** How one vector is made of a text's token vectors. */
export type Pooling = "mean" | "cls" | "lasttoken" | "model";

/** Which model embeds, and how. */
export interface OnnxOptions {
  /** Address of the model file. Relative addresses count from the page, in Node from the working folder. */
  model: string;
  /** Address of the `tokenizer.json` that was published with it. */
  tokenizer: string;
  /** Folder with the three files of the ONNX runtime; `ort/` beside the package's workers unless named. */
  runtime?: string | undefined;
  /** Encoders side by side, each with a copy of the model. 1 unless named. */
  workers?: number | undefined;
  /** The least cosine the agent asks of a vector hit. None unless named: it differs between models. */
  threshold?: number | undefined;
  /** Longer texts are cut, and flagged. 128 unless named. */
  maxTokens?: number | undefined;
  /** Put before every query. */
  queryPrefix?: string | undefined;
  /** Put before every document. */
  documentPrefix?: string | undefined;
  /**
   * How a text's token vectors become one vector: their mean, the first token's (`cls`), the last token's, or none of these,
   * where the `model` has a head of its own. Unless named, the model's own output `sentence_embedding` is used; a model
   * without one is pooled as its `1_Pooling/config.json` says, which is looked for beside it, else by the mean.
   */
  pooling?: Pooling | undefined;
  /** A download without a byte for so many milliseconds is given up. 30,000 unless named. */
  timeout?: number | undefined;
  /**
   * A check when the model is loaded: this text, embedded without a prefix, must have a cosine of 0.99 or more with this vector.
   * Loading rejects with `model_unfit` otherwise.
   */
  expected?: { text: string; vector: number[] } | undefined;
  /** What tells this model from others in a kept library; the end of the model's address and its options unless named. */
  id?: string | undefined;
}

/** What there is to know of a function that embeds. */
export interface CustomEmbedderOptions {
  /** The least cosine the agent asks of a vector hit. None unless named: it differs between models. */
  threshold?: number | undefined;
  /** How many calls of the function may go on at once. 1 unless named. */
  concurrency?: number | undefined;
  /** What tells this encoder from others in a kept library. `custom` unless named. */
  id?: string | undefined;
}

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
  /** A sentence encoder in ONNX form, run in workers; where there are none, in place. `unsupported` in a service worker. */
  onnx(options: OnnxOptions): EmbedderDescription;
  /**
   * A function of yours. Vectors are scaled to length 1. `id` tells them from another's in a kept library: without it
   * all functions count as the same.
   */
  custom(embed: EmbedFunction, options?: CustomEmbedderOptions): EmbedderDescription;
};
