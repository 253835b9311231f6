// An LLM with scripted replies.

import { invalid } from "../error.js";

/**
 * Replies in order. A reply is any value that an LLM function may return; an error, which is thrown; any other object, which is
 * returned as JSON; or a function `(request, { signal, step })` that returns one of these. `requests` lists the requests.
 */
export function scripted(replies) {
  if (!Array.isArray(replies)) throw invalid("replies", "a list of replies", typeof replies);
  const requests = [];
  const llm = async (request, context) => {
    const at = requests.push({ step: context.step, request }) - 1;
    if (at >= replies.length) {
      throw new Error(`The script has ${replies.length} replies, and step \`${context.step}\` asks for one more`);
    }
    const reply = replies[at];
    return said(typeof reply === "function" ? await reply(request, context) : reply);
  };
  return Object.assign(llm, { requests });
}

function said(reply) {
  if (reply instanceof Error) throw reply;
  const isPlain = typeof reply === "object" && reply !== null && [Object.prototype, null].includes(Object.getPrototypeOf(reply));
  const isForm = !isPlain || "choices" in reply || "error" in reply || Symbol.asyncIterator in reply || Symbol.iterator in reply;
  return isForm ? reply : JSON.stringify(reply);
}
