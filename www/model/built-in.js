// The language model that the browser has, where it has one: the Prompt API's `LanguageModel`.

/** What it is told to expect. Others would be refused where the model was not made for them. */
const LANGUAGES = { expectedInputs: [{ type: "text", languages: ["en"] }], expectedOutputs: [{ type: "text", languages: ["en"] }] };

/** `available`, `downloadable`, `downloading`, `unavailable`, or null where the browser has no such thing. */
export async function availability() {
  if (!globalThis.LanguageModel) return null;
  return LanguageModel.availability(LANGUAGES).catch(() => "unavailable");
}

/**
 * Has the model fetched by the browser, if it must be, and made ready.
 * @param onProgress is given the share that is here, from 0 to 1
 */
export async function builtInModel({ signal, onProgress }) {
  // Kept, so that the browser keeps the model in memory; each request has a session of its own, without the words of others.
  const kept = await LanguageModel.create({
    ...LANGUAGES,
    signal,
    monitor: (monitor) => monitor.addEventListener("downloadprogress", ({ loaded }) => onProgress(loaded)),
  });
  return { kind: "built-in", name: "built-in", where: "the browser’s own model", isElsewhere: false, llm: reply, close: () => kept.destroy() };
}

/** The LLM function: text, part by part. */
async function* reply({ messages, response_format: format, tools }, { signal }) {
  if (tools) throw Object.assign(new Error("The browser's model takes no tools."), { status: 400 });
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
    // A schema it cannot follow is asked for again, as text.
    if (schema && error.name === "NotSupportedError") throw Object.assign(error, { status: 400 });
    throw error;
  } finally {
    session.destroy();
  }
}
