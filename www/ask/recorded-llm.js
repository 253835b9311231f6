// Wraps the model of a run in a recorder.

import { recorder } from "../vademecum/testing.js";
import { t } from "../words.js";

const voices = new WeakMap();

/**
 * Returns one function per model, so that capabilities that the agent detects apply to every run; `recording` records the run that
 * starts now.
 */
export function recordedLlm(llm) {
  if (!llm) return { recording: recorder(async () => { throw new Error(t("No model was in use.")); }) };
  if (!voices.has(llm)) {
    const voice = { through: null };
    voice.llm = (request, context) => voice.through(request, context);
    voices.set(llm, voice);
  }
  const voice = voices.get(llm);
  voice.through = recorder(llm);
  return { llm: voice.llm, recording: voice.through };
}
