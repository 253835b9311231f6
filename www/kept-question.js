// A typed question, kept in the session's storage while the page loads itself again: boot.js puts it back.

import { byId } from "./dom.js";

const NAME = "vademecum.question";

/** Keeps what is typed. Returns whether nothing of it is lost when the page is loaded again. */
export function keepQuestion() {
  const text = byId("question").value;
  try {
    if (text.trim()) sessionStorage.setItem(NAME, text);
    else sessionStorage.removeItem(NAME);
    return true;
  } catch {
    return !text.trim(); // the browser stores nothing for this page
  }
}

/** Returns whether a typed question can be kept, without keeping it. */
export function canKeepQuestion() {
  const can = keepQuestion();
  try {
    sessionStorage.removeItem(NAME);
  } catch {
    // nothing is stored
  }
  return can;
}

/** Loads the page again, with what is typed. */
export function reload() {
  keepQuestion();
  location.reload();
}
