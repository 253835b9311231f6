// What can be done with an answer: go on, ask in another way, copy, save; and, if there is none, what may help.

import { h } from "../dom.js";
import { download } from "../download.js";
import { fileNameOf, markdownOf, plainOf } from "./export.js";
import { withoutMark } from "../vademecum/elements/labels.js";
import { isDoubtful } from "./notes.js";
import { WAYS } from "./styles.js";
import { t } from "../words.js";

const button = (text, onclick, kind = "button") => h(kind, { type: "button", onclick }, text);

/**
 * @param quotes what `quotesOf` returned for the record, or null
 * @param isEmpty whether the library has no documents
 * @param on `{ goOn(record), trace(record), askFor(question), askIn(record, style), askEverywhere(record), addFiles(), addSample(), followUp(record) }`
 */
export function actionsOn(record, quotes, isEmpty, on) {
  const { result, state } = record;
  const canGoOn = result?.state && state !== "clarify" && !record.isLost;
  const isDone = state === "done" && !record.isLost && !result?.error;
  const isAnswer = isDone && !result.abstained && (Boolean(result.answer) || result.output?.rows.length > 0);
  const isSure = isAnswer && !isDoubtful(result.confidence); // a correction of the question would be wrong
  const isInVain = isEmpty && !isAnswer;
  return [
    isSure || isInVain ? null : meant(record, on),
    ...(isDone && !isAnswer ? helpOn(record, isEmpty, on) : []),
    canGoOn ? button(result?.budgetExhausted ? t("Continue with the same budget again") : t("Continue"), () => on.goOn(record)) : null,
    isAnswer ? button(t("Ask a follow-up"), () => on.followUp(record)) : null,
    isDone && !isInVain ? otherWay(record, on) : null,
    ...(isAnswer ? copies(record, quotes) : []),
    button(t("How this was found"), () => on.trace(record), "button.link"),
  ].filter(Boolean);
}

/** The passages may know of a misspelling where the run does not. */
function meant({ result, found }, { askFor }) {
  const other = result?.didYouMean ?? found?.didYouMean;
  return other ? button(asMeant(other), () => askFor(other)) : null;
}

/** Asks whether another question was meant, with one question mark. */
export const asMeant = (other) => t`Did you mean “${withoutMark(other)}”?`;

/** What may help where there is no answer. */
function helpOn(record, isEmpty, on) {
  return [
    record.narrowed && !isEmpty ? button(t("Search all documents"), () => on.askEverywhere(record)) : null,
    button(t("Add files"), on.addFiles),
    isEmpty ? button(t("Add the sample"), on.addSample) : null,
  ];
}

function otherWay(record, { askIn }) {
  const style = record.style === "graph" ? "pipeline" : "graph";
  const said = style === "graph" ? t("Ask thoroughly") : t("Ask quickly");
  return h("button", { type: "button", title: record.model ? WAYS[style].does : WAYS[style].without, onclick: () => askIn(record, style) }, said);
}

function copies(record, quotes) {
  const told = h("span.hint", { role: "status" });
  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      told.textContent = t("Copied with its sources.");
    } catch {
      told.textContent = t("This browser does not allow copying. Save the answer as a file instead.");
    }
  };
  return [
    button(t("Copy"), () => copy(plainOf(record, quotes)), "button.link"),
    button(t("Copy as Markdown"), () => copy(markdownOf(record, quotes)), "button.link"),
    button(t("Save as a file"), () => download(fileNameOf(record), markdownOf(record, quotes), "text/markdown"), "button.link"),
    told,
  ];
}
