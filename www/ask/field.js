// The question's field with its buttons: Enter and Ask submit, Stop ends the run, and `/` leads to the field from anywhere.

import { byId } from "../dom.js";

/** Milliseconds after a press of Ask in which another one, also of Stop in its place, is the second half of a double click. */
const DOUBLE = 500;

/** Whether focusing the field would open a keyboard over the page. */
export const isTouched = () => matchMedia("(pointer: coarse)").matches;

/** @param on `{ submit(), stop(), typed(), goTo(tab) }` */
export function startField({ submit, stop, typed, goTo }) {
  const question = byId("question");
  const form = byId("ask-form");
  let pressed = -Infinity; // when Ask was pressed by a pointer

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  byId("ask-button").addEventListener("click", (event) => {
    if (event.detail === 0) return; // by a key
    if (event.timeStamp - pressed < DOUBLE) event.preventDefault(); // the question is answered already
    else pressed = event.timeStamp;
  });
  byId("stop-button").addEventListener("click", (event) => {
    if (event.detail === 0 || event.timeStamp - pressed >= DOUBLE) stop();
  });
  question.addEventListener("input", typed);
  question.addEventListener("keydown", (event) => {
    // In Safari, the Enter that ends a composition is only told by its code.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    if (!event.repeat) submit(); // a key that is held would ask again and again
  });
  document.addEventListener("keydown", (event) => {
    const elsewhere = !/^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? "") && !document.querySelector("dialog[open]");
    if (event.key === "/" && elsewhere && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      goTo("ask");
      question.focus();
    }
  });

  return {
    /** Shows Stop in place of Ask during a run. */
    busy(is) {
      const hadFocus = document.activeElement === byId("stop-button");
      byId("ask-button").hidden = is;
      byId("stop-button").hidden = !is;
      if (!is && hadFocus) byId(isTouched() ? "ask-button" : "question").focus({ preventScroll: true });
    },
    /** Handles a question that was asked before the page had started: see boot.js. Call it last. */
    start() {
      const isAsked = form.dataset.state === "asked";
      form.dataset.state = "started";
      if (isAsked) submit();
      else if (question.value.trim()) typed();
    },
  };
}
