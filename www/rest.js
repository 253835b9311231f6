// The tabs that a first answer does not need. Their scripts, a third of the page's, are loaded after it.

import { startEvaluate } from "./evaluate/evaluate.js";
import { startLibrary } from "./library/library.js";
import { startTrace } from "./trace/trace.js";

/** Functions that start a tab each, with what the parts of the page share: see main.js. */
export const TABS = [startTrace, startLibrary, startEvaluate];
