// Questions that say by their words that they follow another one.

/** "And in March?" */
const JOINED = /^(and|but|und|aber)[\s,]/i;
/** "What about Ines?": of few words, since "what about the policy for guests" may be the first question. */
const ABOUT = /^(what about|how about|was ist mit|wie ist es mit)( \S+){1,2}$/i;
/** "Why?", "how much?", "warum nicht?" */
const BARE = /^(why|how|when|where|who|how (much|many|long|often|so)|since when|until when|warum|wieso|weshalb|wann|wo|wer|wie|wie (viel|viele|lange|oft)|seit wann|bis wann)( not| nicht)?$/i;

/** Returns whether a question can only be asked of the answer before it. */
export function isFollowUp(text) {
  const words = text.trim().replace(/[\s?!.…]+$/, "").replace(/\s+/g, " ");
  return [JOINED, ABOUT, BARE].some((form) => form.test(words));
}
