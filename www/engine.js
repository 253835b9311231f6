// Crashes of the engine: the package restarts it and reopens the library; the page asks the question that was pending again, and says what happened.

import { byId } from "./dom.js";
import { holdNotice } from "./notice.js";
import { t } from "./words.js";

const CRASHED = t("The page’s search engine crashed and was restarted with your saved library.");
const AGAIN = t`${CRASHED} Your question was asked again by itself.`;
const TWICE = t`${CRASHED} It crashed at this question twice, so the question was not asked again: change it, or choose another way of asking under Options.`;
const LOST = t`${CRASHED} If you were adding files, add them again.`;

const isOfCrash = (record) => [record.error, record.result?.error, ...(record.result?.failures ?? [])].some((error) => error?.code === "worker_failed");

/** @param app what the parts of the page share: see main.js */
export function startEngine({ kb, complain, complainOfCrash, changed, runs }, understanding) {
  let repeated = null; // the question that was asked again last, while it may crash the engine again
  const seen = new WeakSet(); // runs that a crash has ended

  kb.on("restarted", ({ reason }) => {
    console.info(reason);
    const record = runs.list.value[0];
    const isPending = record && !seen.has(record) && (record.state === "running" || isOfCrash(record));
    complainOfCrash({ message: LOST });
    if (isPending) void askAgain(record);
    if (isPending) seen.add(record);
    changed.value = {};
    understanding.understand(understanding.embedPending()).catch(complain);
  });
  kb.on("failed", ({ error }) => {
    complainOfCrash(error);
    understanding.halted();
  });

  /** Asks the question of a run again if the crash has ended it, once. */
  async function askAgain(record) {
    await ended(record);
    if (!isOfCrash(record)) return; // it got by without the engine, or was stopped
    const field = byId("question");
    if (repeated === record.question) return complainOfCrash({ message: TWICE });
    // Another question may have been asked meanwhile, or be being typed.
    if (runs.list.value[0] !== record || ![record.question, ""].includes(field.value.trim())) return;
    field.value = record.question;
    complainOfCrash({ message: AGAIN });
    const release = holdNotice(); // asking removes messages
    byId("ask-form").requestSubmit();
    repeated = record.question;
    try {
      const again = await next(record);
      if (again) await ended(again);
      if (!again || !isOfCrash(again)) repeated = null;
    } finally {
      release();
    }
  }

  /** Resolves when a run has ended and the page has shown it. */
  const ended = (record) => until(() => record.state !== "running" && !byId("ask-button").hidden);

  /** Resolves to the first run after another, or to null if asking has failed before one began: then Ask is shown again. */
  async function next(record) {
    let shown = 0; // looks in a row at which Ask was shown
    await until(() => {
      shown = byId("ask-button").hidden ? 0 : shown + 1;
      return runs.list.value[0] !== record || shown > LOOKS;
    });
    const [last] = runs.list.value;
    return last === record ? null : last;
  }
}

/** Milliseconds between two looks. */
const PAUSE = 50;
/** Number of looks after which a question whose run has not begun has failed. */
const LOOKS = 20;

async function until(is) {
  while (!is()) await new Promise((resolve) => setTimeout(resolve, PAUSE));
}
