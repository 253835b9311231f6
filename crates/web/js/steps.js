// The steps of a pipeline, and the table of options of each: their names are those of the engine's data.

import {
  ANSWER_OPTIONS,
  CUSTOM,
  DECOMPOSE_OPTIONS,
  GROUND_OPTIONS,
  REASON_OPTIONS,
  RERANK_OPTIONS,
  SEARCH_STEP_OPTIONS,
  SELECT_OPTIONS,
  STEP_OPTIONS,
} from "./generated/agent-table.js";

/** Steps that go by another name. */
export const ALIASES = { route: "select" };

export const STEPS = {
  gate: STEP_OPTIONS,
  rewrite: STEP_OPTIONS,
  select: SELECT_OPTIONS,
  expand: STEP_OPTIONS,
  decompose: DECOMPOSE_OPTIONS,
  search: SEARCH_STEP_OPTIONS,
  rerank: RERANK_OPTIONS,
  reason: REASON_OPTIONS,
  answer: ANSWER_OPTIONS,
  ground: GROUND_OPTIONS,
  custom: CUSTOM,
};
