// The questions of earlier visits: stored in this browser, listed below the field, and brought back into it by the arrow keys.

import { byId, h } from "../dom.js";
import { remember, remembered } from "../remember.js";

const NAME = "questions";
/** Number of questions that are stored, and that are listed. */
const KEPT = 30;
const LISTED = 5;
/** Longer questions are not stored: they are pasted texts. */
const LONGEST = 500;

/** @param askFor called with the chosen question */
export function startRecent(askFor) {
  const field = byId("question");
  let at = -1; // position of the question in the field, if the arrow keys brought it there

  const stored = () => {
    const all = remembered(NAME, []);
    return Array.isArray(all) ? all.filter((one) => typeof one === "string") : [];
  };
  let questions = stored();
  let isIdle = true;

  function draw() {
    byId("recent").hidden = !isIdle || questions.length === 0;
    byId("recent-list").replaceChildren(
      ...questions.slice(0, LISTED).map((question) => h("li", {}, h("button.link", { type: "button", onclick: () => askFor(question) }, question))),
    );
  }

  function change(all) {
    questions = all;
    remember(NAME, questions);
    at = -1;
    draw();
  }

  const forget = () => change([]);

  /** Puts an older or a newer question into the field. Returns whether there is one. */
  function bring(step) {
    const next = at + step;
    if (next < -1 || next >= questions.length) return false;
    at = next;
    field.value = at < 0 ? "" : questions[at];
    field.setSelectionRange(field.value.length, field.value.length);
    field.dispatchEvent(new Event("input"));
    return true;
  }

  field.addEventListener("keydown", (event) => {
    if (!["ArrowUp", "ArrowDown"].includes(event.key) || event.isComposing || event.keyCode === 229 || event.shiftKey) return;
    const isBrought = at >= 0 && field.value === questions[at];
    if (!isBrought) at = -1;
    if (field.value !== "" && !isBrought) return; // the arrows move within what was typed
    if (bring(event.key === "ArrowUp" ? 1 : -1)) event.preventDefault();
  });
  byId("forget-questions").addEventListener("click", () => {
    forget();
    field.focus(); // the button is gone with the list
  });
  draw();

  return {
    /** Adds a question that was asked; it is listed once. Other tabs of the page may have added theirs. */
    note(question) {
      if (question.length <= LONGEST) change([question, ...stored().filter((one) => one !== question)].slice(0, KEPT));
    },
    forget,
    show(is) {
      isIdle = is;
      draw();
    },
  };
}
