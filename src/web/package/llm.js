// Calls the user's LLM function and hands on what it returns, part by part. Nothing is parsed here: the engine
// understands every form, and does so in one place.

/**
 * @param llm `(request, { signal, step }) => Response | completion | string | async iterable of deltas`, or a promise
 * @param emit takes `{status, retryAfter}`, `{bytes}`, `{text}` or `{value}`
 */
export async function llmParts(llm, step, request, { signal, emit }) {
  const reply = await llm(request, { signal, step });
  if (typeof reply === "string") {
    emit({ text: reply });
  } else if (isResponse(reply)) {
    await responseParts(reply, signal, emit);
  } else if (typeof reply?.[Symbol.asyncIterator] === "function") {
    for await (const delta of reply) {
      signal.throwIfAborted();
      emit(typeof delta === "string" ? { text: delta } : { value: delta });
    }
  } else if (typeof reply === "object" && reply !== null) {
    emit({ value: structuredClone(reply) });
  } else {
    throw new TypeError(`it returned ${reply === null ? "null" : typeof reply}; return a Response, a completion or a string`);
  }
}

/** Also of another realm, or of a fetch that was polyfilled. */
const isResponse = (reply) => typeof reply?.status === "number" && typeof reply?.arrayBuffer === "function";

/** In how many seconds the server wants to be asked again; it says a number, or a date. */
function retryAfter(response) {
  const told = response.headers?.get?.("retry-after");
  if (!told) return undefined;
  const seconds = Number(told);
  return Number.isFinite(seconds) ? seconds : Math.max(0, (Date.parse(told) - Date.now()) / 1000) || undefined;
}

async function responseParts(response, signal, emit) {
  emit({ status: response.status, retryAfter: retryAfter(response) });
  if (!response.body) {
    emit({ bytes: new Uint8Array(await response.arrayBuffer()) });
    return;
  }
  const reader = response.body.getReader();
  const cancel = () => reader.cancel().catch(() => {});
  signal.addEventListener("abort", cancel);
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) emit({ bytes: part.value });
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}
