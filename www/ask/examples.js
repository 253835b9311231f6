// What is offered to try before anything is asked: questions that one's own documents answer, or else the sample, and adding files.

import { byId, h } from "../dom.js";
import { coalesce } from "../library/coalesce.js";
import { remember, remembered } from "../remember.js";
import { COLLECTION } from "../sample.js";

/** The name under which the questions are remembered: the next visit shows them before any other script has run (boot.js). */
const NAME = "suggested";
const MOST = 3;
/** Questions of which those that the library answers are shown. */
const TRIED = 8;
/** Milliseconds after a change of the library, of which more may follow. */
const PAUSE = 400;

/**
 * @param app what the parts of the page share: see main.js
 * @param ask called with the chosen question
 * @param add called to add files
 */
export function startExamples({ kb, complain, filters }, ask, add) {
  const examples = byId("examples");
  const box = byId("to-try");
  /** @type {NodeListOf<HTMLButtonElement>} */
  const ofSample = examples.querySelectorAll("button:not(.suggested)");
  let own = remembered(NAME, []);
  let isOld = false; // whether the library has changed since the questions were made
  let isIdle = true; // whether the page is at its start: nothing is typed or asked
  let narrowed = null; // the filter of the documents that the questions are about
  let mayMove = false; // whether the height may change: after a change of the filter, by the user
  let isAnswerable = !examples.hidden && own.length === 0; // whether the library has the sample
  /** @type {{ name: string, documents: number }[]} */
  let collections = [];

  // In the page itself, so that nothing moves when the scripts have loaded. Until then, boot.js handles them.
  examples.addEventListener("click", ({ target }) => target instanceof HTMLButtonElement && ask(target.textContent));
  byId("ask-add").addEventListener("click", add);

  /** Returns the names of collections that have documents besides the sample's. */
  const ownNames = () => collections.filter(({ name, documents }) => name !== COLLECTION && documents > 0).map(({ name }) => name);

  /** Makes the questions anew, unless something is typed or asked. */
  const refresh = coalesce(async () => {
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
    if (!isIdle || !isOld) return;
    isOld = false;
    const { answeredOnes, suggestQuestions } = await import("../library/suggestions.js"); // long after the first view
    const names = ownNames();
    const filter = narrowed;
    const where = filter ? { filters: filter } : {};
    const tried = names.length > 0 ? await suggestQuestions(kb, { limit: TRIED, collections: names, ...where }) : [];
    const made = (await answeredOnes(kb, tried, MOST, where)).map(({ question }) => question);
    if (filter !== narrowed) return; // they are being made anew
    own = made;
    if (!filter) remember(NAME, own);
    draw();
    mayMove = false;
  });

  // With a filter, questions about other documents have no answer. Those of the sample are left out then, whatever it keeps.
  filters?.on((filter) => {
    if (filter === narrowed) return;
    narrowed = filter;
    own = filter ? [] : remembered(NAME, []);
    isOld = mayMove = true;
    draw();
    if (isIdle) void refresh().catch(complain);
  });

  function draw() {
    const isOwn = own.length > 0;
    const before = box.checkVisibility() && !mayMove ? box.offsetHeight : 0;
    const shown = [...examples.querySelectorAll("button.suggested")];
    for (const button of ofSample) button.hidden = isOwn;
    if (shown.map((button) => button.textContent).join("\n") !== own.join("\n")) {
      for (const button of shown) button.remove();
      examples.append(...own.map((question) => h("button.suggested", { type: "button" }, question)));
    }
    const isOfSample = !isOwn && isAnswerable && !narrowed;
    examples.hidden = !isOwn && !isOfSample;
    byId("own-told").hidden = !isOwn;
    byId("sample-told").hidden = !isOfSample;
    keepHeight(before);
  }

  /** What is below must not move while it is in view: the height stays, and questions for which there is no room are left out. */
  function keepHeight(before) {
    box.style.minHeight = before > 0 ? `${before}px` : "";
    while (before > 0 && box.offsetHeight > before && examples.querySelectorAll("button.suggested").length > 1) examples.lastElementChild.remove();
  }

  return {
    show(is) {
      box.hidden = !is;
      isIdle = is;
      if (is && isOld) void refresh().catch(complain);
      if (!is) box.style.minHeight = "";
    },
    /**
     * Follows the library: shows the sample's questions while the library has the sample, and those of one's own documents once there are some.
     *
     * @param isRead whether all automatic loading has finished
     */
    offer(all, isRead) {
      collections = all;
      const sample = all.find(({ name }) => name === COLLECTION);
      isAnswerable = sample?.documents > 0 || (!isRead && !sample?.description); // it has a description if it was loaded before
      if (isRead) remember("examples", isAnswerable); // the next visit starts as this one ends: see boot.js
      if (isRead) isOld = true;
      if (isRead && ownNames().length === 0) own = []; // at once: nothing of removed documents stays
      if (isRead && (narrowed || ownNames().length === 0)) remember(NAME, []);
      draw();
      if (isIdle && isOld) void refresh().catch(complain);
    },
  };
}
