// The browser's built-in language model, if it has one: `LanguageModel` of the Prompt API.

import { t } from "../words.js";

/** Expected languages. Models that do not support them are refused. */
const LANGUAGES = { expectedInputs: [{ type: "text", languages: ["en"] }], expectedOutputs: [{ type: "text", languages: ["en"] }] };

/** Returns `available`, `downloadable`, `downloading`, `unavailable`, or null if the browser has no such API. */
export async function availability() {
  if (!globalThis.LanguageModel) return null;
  return LanguageModel.availability(LANGUAGES).catch(() => "unavailable");
}

/**
 * Has the browser download the model if necessary, and prepares it.
 * @param onProgress called with the share downloaded, from 0 to 1
 */
export async function builtInModel({ signal, onProgress }) {
  // Held so that the browser keeps the model in memory; each request has a session of its own, without the texts of others.
  const kept = await LanguageModel.create({
    ...LANGUAGES,
    signal,
    monitor: (monitor) => monitor.addEventListener("downloadprogress", ({ loaded }) => onProgress(loaded)),
  });
  return { kind: "built-in", name: "built-in", where: t("the browser’s own model"), isElsewhere: false, llm: reply, close: () => kept.destroy() };
}

/** The LLM function: yields text in parts. */
async function* reply({ messages, response_format: format, tools }, { signal }) {
  if (tools) throw Object.assign(new Error(t("The browser's model does not support tools.")), { status: 400 });
  const turns = messages.map(({ role, content }) => ({ role: role === "tool" ? "user" : role, content }));
  const session = await LanguageModel.create({ ...LANGUAGES, initialPrompts: turns.slice(0, -1), signal });
  const schema = format?.type === "json_schema" ? format.json_schema.schema : format ? { type: "object" } : undefined;
  try {
    const stream = session.promptStreaming([turns.at(-1)], { signal, ...(schema && { responseConstraint: schema }) });
    for (const reader = stream.getReader(); ; ) {
      const { done, value } = await reader.read();
      if (done) break;
      yield value;
    }
  } catch (error) {
    // An unsupported schema is reported as an HTTP error, after which the request is repeated as text.
    if (schema && error.name === "NotSupportedError") throw Object.assign(error, { status: 400 });
    throw error;
  } finally {
    session.destroy();
  }
}
