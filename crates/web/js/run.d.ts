// The types of what comes of a run; `index.d.ts` exports them all.

import type { RunEvent, RunOutcome, StepError } from "./generated/run-types.js";
import type { Clarification } from "./generated/styles-types.js";
import type { RunState } from "./styles.js";

/**
 * How a run ended, and what goes with that: compare `terminatedBy`. `error` is the step that ended it by failing, `state` what
 * `agent.resume` goes on from, `clarification` what the user is asked.
 */
export type Ending =
  /** Every step ran. There is a `state` where only one node of a graph was taken. */
  | { terminatedBy: "completed"; error: null; state?: RunState; clarification?: undefined; partial?: undefined }
  /** Every step ran, some with less than they would have had; `budgetExhausted` says what ran out. */
  | { terminatedBy: "budget"; error: null; state?: RunState; clarification?: undefined; partial?: undefined }
  /** The user is asked something first. */
  | { terminatedBy: "clarify"; error: null; state: RunState; clarification: Clarification; partial?: undefined }
  /** A step failed. */
  | { terminatedBy: "error"; error: StepError; state?: RunState; clarification?: Clarification; partial?: undefined }
  /** The signal was aborted. `partial` is what the step that was writing the answer had passed on as tokens, its citations unchecked. */
  | { terminatedBy: "aborted"; error: StepError | null; state?: RunState; clarification?: Clarification; partial?: string };

/** The result of a run. */
export type RunResult = RunOutcome & Ending;

/** A run under way. Every iteration sees every event. */
export interface Run<Result extends RunResult = RunResult> extends AsyncIterable<RunEvent> {
  /** Rejects on misuse alone. */
  readonly result: Promise<Result>;
}
