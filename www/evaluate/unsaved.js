// Questions and reports are not stored: the browser asks before unsaved ones are discarded.

/** @param state `{ hasQuestions(), isRunning() }` */
export function startUnsaved({ hasQuestions, isRunning }) {
  let changes = 0;
  let saved = 0; // the last change that is saved in a file
  let reportIsSaved = true;

  addEventListener("beforeunload", (event) => {
    if (isRunning() || !reportIsSaved || (hasQuestions() && changes > saved)) event.preventDefault();
  });

  return {
    changed: () => void (changes += 1),
    /** Returns the current version of the questions, for `questionsSaved`. */
    get version() {
      return changes;
    },
    questionsSaved: (version = changes) => void (saved = Math.max(saved, version)),
    reported: () => void (reportIsSaved = false),
    reportSaved: () => void (reportIsSaved = true),
  };
}
