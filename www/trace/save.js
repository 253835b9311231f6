// Saves a run as a file: question, events, and a bundle for `replay` of vademecum/testing.

import { download } from "../download.js";

export async function saveRun(record, kb) {
  const { question, reply, style, settings, budget, begun, state, events, result, model, recording, run } = record;
  await recording.watch(run, kb).catch(() => {}); // a rejected run has no searches to record
  const saved = { kind: "vademecum-run", version: 1, question, reply, style, settings, budget, model, begun: new Date(begun).toISOString(), state, events, result, bundle: recording.bundle() };
  const name = question.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, 40) || "run";
  download(`${name}.run.json`, JSON.stringify(saved, null, 1), "application/json");
}
