// Questions and a report stand on the page alone: the browser asks before what was not saved is left behind.

/** @param state `{ hasQuestions(), isRunning() }` */
export function startUnsaved({ hasQuestions, isRunning }) {
  let changes = 0;
  let saved = 0; // the change up to which they are in a file
  let reportIsSaved = true;

  addEventListener("beforeunload", (event) => {
    if (isRunning() || !reportIsSaved || (hasQuestions() && changes > saved)) event.preventDefault();
  });

  return {
    changed: () => void (changes += 1),
    /** The questions as they are now, for `questionsSaved`. */
    get version() {
      return changes;
    },
    questionsSaved: (version = changes) => void (saved = Math.max(saved, version)),
    reported: () => void (reportIsSaved = false),
    reportSaved: () => void (reportIsSaved = true),
  };
}
