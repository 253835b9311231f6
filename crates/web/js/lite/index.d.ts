/** The lite build: everything but models in ONNX form. */

import type { Embedder as FullEmbedder, Reader as ReadingFunction, Reranker as RankingFunction, Searcher as SearchingFunction } from "../index.js";

export * from "../index.js";

/** Searches in the place of the knowledge base. */
export type Searcher = SearchingFunction;
/** `Searcher.chroma` is in "vademecum" alone. */
export const Searcher: Record<never, never>;
/** Makes descriptions of embedders. `Embedder.onnx` is in "vademecum" alone. */
export const Embedder: Omit<typeof FullEmbedder, "onnx">;
/** A function that ranks. */
export type Reranker = RankingFunction;
/** `Reranker.onnx` is in "vademecum" alone. */
export const Reranker: Record<never, never>;
/** A function that finds answers. */
export type Reader = ReadingFunction;
/** `Reader.onnx` is in "vademecum" alone. */
export const Reader: Record<never, never>;
