// The question's field with its buttons: Enter and Ask submit, Stop ends the run, and `/` leads to the field from anywhere.

import { byId } from "../dom.js";

/** Milliseconds after a press of Ask in which another one at its place is the second half of a double click. */
const DOUBLE = 500;
/** Pixels from the first press within which the second one is at its place. */
const NEAR = 8;

/** Whether focusing the field would open a keyboard over the page. */
export const isTouched = () => matchMedia("(pointer: coarse)").matches;

/** @param on `{ submit(), stop(), typed(), goTo(tab) }` */
export function startField({ submit, stop, typed, goTo }) {
  const question = byId("question");
  const form = byId("ask-form");
  let pressed = { at: -Infinity, x: 0, y: 0 }; // when and where Ask was pressed by a pointer

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  // Stop replaces Ask, and the page moves when it answers: a second press may meet any button.
  document.addEventListener(
    "click",
    (event) => {
      const isByKey = event.detail === 0;
      const isLate = event.timeStamp - pressed.at >= DOUBLE;
      if (isByKey || isLate || Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) > NEAR) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    },
    true,
  );
  byId("ask-button").addEventListener("click", ({ detail, timeStamp, clientX, clientY }) => {
    if (detail !== 0) pressed = { at: timeStamp, x: clientX, y: clientY };
  });
  byId("stop-button").addEventListener("click", stop);
  question.addEventListener("input", () => {
    pressed.at = -Infinity; // what is typed afterwards is another question
    typed();
  });
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
