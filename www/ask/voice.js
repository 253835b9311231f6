// The model of a run, with everything written down that passes.

import { recorder } from "../vademecum/testing.js";

const voices = new WeakMap();

/**
 * One function for each model, so that what the agent finds out of it holds for every run; `recording` has what passes in the run
 * that is begun now.
 */
export function voiceOf(llm) {
  if (!llm) return { recording: recorder(async () => { throw new Error("No model was in use."); }) };
  if (!voices.has(llm)) {
    const voice = { through: null };
    voice.llm = (request, context) => voice.through(request, context);
    voices.set(llm, voice);
  }
  const voice = voices.get(llm);
  voice.through = recorder(llm);
  return { llm: voice.llm, recording: voice.through };
}
