// Progress of adding files: one bar in total, one line per file for a few files, and only the failed ones for many.

import { byId, h } from "../dom.js";
import { sentenceOf } from "../sentences.js";
import { number, plural, size } from "../format.js";
import { t } from "../words.js";
import { isOcrKept, OCR_BYTES } from "./readers/ocr.js";

/** Above this number of files, only counts are shown. */
const FEW = 30;
/** Maximum number of lines for failed files. */
const MOST_FAILED = 50;
/** From this number on, files that failed for one reason share a line. */
const ALIKE = 2;
/** Maximum number of names in such a line. */
const MOST_NAMED = 500;

/** Whether an earlier job added the file, or this one. */
const isInLibrary = ({ state, isIn = false }) => isIn || state === "in";
/** Whether a file is missing: one that an earlier job added stays as it was. */
const isMissing = ({ state, isIn = false }) => state === "failed" && !isIn;

/** The button of files that are in the library without the text of pictures among their pages. */
const MISSING = t("Recognise the missing text");
const recognise = ([item, ...others]) => (isInLibrary(item) ? MISSING : others.length > 0 ? t("Read the text in the pictures") : t("Read the text in the picture"));

/** Shows one job until it is finished. */
export class Report {
  #adding;
  #again;
  #say;
  #saidOf = null; // the state that was announced last
  #isDrawn = true;
  #lines = new Map();
  #groups = new Map(); // the line of files that failed for the same reason, by reason
  element = h("div.adding", { role: "group", ariaLabel: t("Files being added") });
  #head;
  #said = h("p.adding-said", {});
  #bar = h("progress", { max: 1, ariaLabel: t("Files added") });
  #stop;
  #list = h("ul.reports", {});

  /**
   * @param again called with files to retry in another way
   * @param say called with a sentence at every change of state, for screen readers
   */
  constructor(adding, { again, say }) {
    this.#adding = adding;
    this.#again = again;
    this.#say = say;
    this.#stop = h("button.quiet", { type: "button", onclick: () => adding.cancel() }, t("Stop"));
    this.#head = h("div.adding-head", {}, this.#said, this.#stop);
    this.element.append(this.#head, this.#bar, this.#list);
    this.draw();
  }

  /** Draws in the next frame, however often it is called before. */
  later() {
    if (!this.#isDrawn) return;
    this.#isDrawn = false;
    setTimeout(() => this.draw(), 50);
  }

  draw() {
    this.#isDrawn = true;
    const { items, state, understood } = this.#adding;
    const counts = Object.groupBy(items, (item) => item.state);
    const of = (name) => counts[name]?.length ?? 0;
    const isDone = state === "done";
    const hadFocus = isDone && document.activeElement === this.#stop;
    this.element.dataset.state = isDone ? "done" : "busy";
    this.#bar.hidden = this.#stop.hidden = isDone;
    this.#bar.value = state === "understanding" ? understood.loaded / (understood.total || 1) : (items.length - of("waiting") - of("reading")) / items.length;
    const text = isDone ? summary(this.#adding, of) : underWay(this.#adding, of);
    if (this.#said.textContent !== text) this.#said.textContent = text;
    const isOfLine = isDone && items.length === 1 && !this.#adding.signal.aborted; // its line says the same
    this.#head.hidden = isOfLine;
    const failed = counts.failed ?? [];
    const grouped = isDone ? this.#group(failed) : new Set();
    const alone = (some) => some.filter((item) => !grouped.has(item));
    const shown = alone(items.length <= FEW ? items.filter((item) => item.state !== "again") : failed);
    const partly = isDone ? (counts.in ?? []).filter(({ canRecognise }) => canRecognise) : [];
    const areTogether = partly.length >= ALIKE || items.length > FEW;
    for (const item of items.length <= FEW ? shown : shown.slice(0, MOST_FAILED)) this.#line(item, isDone, !areTogether);
    if (areTogether && partly.length > 0) this.#tellPartly(partly);
    const more = alone(failed).length - MOST_FAILED;
    if (isDone && items.length > FEW && more > 0) this.#list.append(h("li", {}, t`and ${number(more)} more that were not added`));
    if (hadFocus) this.#next().focus();
    if (this.#saidOf === state) return;
    this.#saidOf = state;
    this.#say(isOfLine ? lineOf(items[0], isDone, this.#adding.error) : isDone ? text : begun(this.#adding, of));
  }

  /** Groups files that failed for the same reason into one line, with their names inside. Returns those files. */
  #group(failed) {
    const each = failed.filter(({ error }) => error?.code !== "not_utf8"); // these may have a button
    const outcomeOf = (item) => JSON.stringify([isMissing(item), whyNot(item)]);
    const alike = [...Map.groupBy(each, outcomeOf)].filter(([, items]) => items.length >= ALIKE);
    for (const [outcome, items] of alike) {
      const [files, why] = [plural(items.length, "file"), whyNot(items[0])];
      const said = isMissing(items[0]) ? t`${files} were not added. ${why}` : t`${files} stay as they were. ${why}`;
      for (const item of items) this.#lines.get(item)?.remove();
      const kept = this.#groups.get(outcome);
      if (kept?.title === said) continue;
      const line = lineOfSeveral(said, items, "failed");
      if (items[0].error?.canRecognise) this.#offerRecognition(line, items);
      if (kept) kept.replaceWith(line);
      else this.#list.append(line);
      this.#groups.set(outcome, line);
    }
    return new Set(alike.flatMap(([, items]) => items));
  }

  /** Offers to recognise the text of pages that were left out of several files. */
  #tellPartly(items) {
    const said = t`Pages without text were left out of ${plural(items.length, "file")}.`;
    const kept = this.#groups.get(MISSING);
    if (kept?.title === said) return;
    const line = lineOfSeveral(said, items, "warning");
    this.#offerRecognition(line, items);
    kept?.remove();
    this.#list.append(line);
    this.#groups.set(MISSING, line);
  }

  #line(item, isDone, isOffered) {
    const kept = this.#lines.get(item);
    const state = stateOf(item, isDone, this.#adding.error);
    const text = lineOf(item, isDone, this.#adding.error);
    if (kept?.dataset.of === item.state && kept.dataset.state === state) {
      if (kept.title !== text) kept.title = kept.querySelector("span").textContent = text; // a button that is replaced during a press loses it
      return;
    }
    const line = h("li", { title: text }, h("span", {}, text));
    Object.assign(line.dataset, { state, of: item.state });
    if (["waiting", "reading"].includes(item.state)) {
      line.append(h("button.quiet", { type: "button", ariaLabel: t`Cancel ${item.path}`, onclick: () => this.#adding.cancelOne(item) }, t("Cancel")));
    }
    if (item.error?.canRecognise || (isOffered && isDone && item.state === "in" && item.canRecognise)) this.#offerRecognition(line, [item]);
    if (item.error?.code === "not_utf8") this.#offerEncoding(line, item).catch(() => {}); // not offered if the file cannot be read any more
    const hadFocus = kept?.contains(document.activeElement);
    if (kept) kept.replaceWith(line);
    else this.#list.append(line);
    this.#lines.set(item, line);
    if (hadFocus) (line.querySelector("button") ?? this.#next(line)).focus();
  }

  /** Moves the focus from a removed button of a line to the next action. */
  #next(line) {
    const isBelow = (button) => !line || line.compareDocumentPosition(button) === Node.DOCUMENT_POSITION_FOLLOWING;
    const below = [...this.#list.querySelectorAll("button")].find(isBelow);
    return below ?? (this.#stop.hidden ? byId("pick-files") : this.#stop);
  }

  /** Text in the encoding of older Windows versions is the usual reason; files with zero bytes are no text in any encoding. */
  async #offerEncoding(line, item) {
    const { file } = item;
    const start = new Uint8Array(await file.slice(0, 4096).arrayBuffer());
    if (start.includes(0) || /^(PK|%PDF)/.test(new TextDecoder("latin1").decode(start))) return;
    const tryIt = () => this.#tryAgain(line, [item], { encoding: "windows-1252" });
    line.append(h("button", { type: "button", onclick: tryIt }, t("Read it as Western European (Windows-1252)")));
  }

  /** Offers to recognise the text of pictures; the first time, with what has to be fetched. */
  #offerRecognition(line, items) {
    const names = items.length === 1 ? items[0].path : plural(items.length, "file");
    const onclick = () => this.#tryAgain(line, items, { recognise: true });
    const offered = t("In English and German, in this browser.");
    const told = h("span.hint", {}, offered);
    line.append(h("button", { type: "button", ariaLabel: `${recognise(items)}: ${names}`, onclick }, recognise(items)), told);
    void isOcrKept().then((isKept) => !isKept && (told.textContent = `${offered} ${t`${size(OCR_BYTES)} are downloaded once.`}`));
  }

  /** Hands files to another job, which reads them in another way. */
  #tryAgain(line, items, how) {
    const next = this.#next(line);
    line.remove();
    const files = items.map((item) => ({ path: item.path, file: item.file, fresh: item.fresh, isIn: isInLibrary(item), ...how }));
    for (const item of items) item.state = "again";
    this.#again(files);
    if (this.#adding.items.every(({ state }) => state === "again")) this.element.remove(); // nothing is left to report
    else this.draw();
    next.focus();
  }
}

/** Returns a line about several files, with their names inside. */
function lineOfSeveral(said, items, state) {
  const names = items.slice(0, MOST_NAMED).map(({ path }) => h("li", {}, path));
  if (items.length > MOST_NAMED) names.push(h("li", {}, t`and ${number(items.length - MOST_NAMED)} more`));
  const line = h("li", { title: said }, h("details", {}, h("summary", {}, said), h("ul", {}, ...names)));
  line.dataset.state = state;
  return line;
}

/** Describes the progress in full, with changing numbers. */
function underWay({ items, state, understood }, of) {
  if (state === "understanding") {
    const count = understood.total > 0 ? t`: ${number(understood.loaded)} of ${plural(understood.total, "passage")}` : "…";
    return t`${plural(of("in"), "file")} can be searched by words. Understanding what they say${count}`;
  }
  if (state === "waiting" || items.length === 1) return begun({ items, state }, of);
  const missing = items.filter(isMissing).length;
  const failed = missing > 0 ? t`, ${number(missing)} not added` : "";
  return t`Reading files: ${number(items.length - of("waiting"))} of ${number(items.length)}, ${number(of("in"))} in the library${failed}`;
}

/** Describes the current state, without changing numbers. */
function begun({ items, state }, of) {
  const files = items.length === 1 ? items[0].path : plural(items.length, "file");
  if (state === "waiting") return t`${files}: waiting for earlier files.`;
  return state === "understanding" ? t`${plural(of("in"), "file")} can be searched by words. Understanding what they say…` : t`Reading ${files}…`;
}

/** Summarises the result: "9,998 added, 2 not added: a.pdf, b.md". */
function summary({ items, error, understood, signal }, of) {
  const missing = items.filter(isMissing);
  const unchanged = items.filter((item) => item.state === "failed" && !isMissing(item));
  const named = (some) => some.slice(0, 3).map(({ path }) => path).join(", ") + (some.length > 3 ? t(" and others") : "");
  const wasIn = items.filter(({ state, isSame }) => state === "in" && isSame).length;
  const added = of("in") - wasIn;
  const parts = [
    (added > 0 || wasIn === 0) && t`${number(added)} added`,
    wasIn > 0 && t`${number(wasIn)} in the library already`,
    missing.length > 0 && t`${number(missing.length)} not added: ${named(missing)}`,
    unchanged.length > 0 && t`${number(unchanged.length)} unchanged: ${named(unchanged)}`,
    of("cancelled") > 0 && t`${number(of("cancelled"))} stopped`,
    of("passed") > 0 && t`${number(of("passed"))} skipped: ${kindsOf(items)} cannot be read`,
  ];
  const left = understood.total - understood.loaded;
  const early = signal.aborted && of("in") > 0 ? t(" Passages without vectors are found by words only, until the next visit or until you continue below.") : "";
  const why = error ? ` ${left > 0 || of("failed") === 0 ? t("What was added is searched by words only. ") : ""}${sentenceOf(error)}` : "";
  return `${parts.filter(Boolean).join(", ")}.${early}${why}`;
}

function kindsOf(items) {
  const endings = items.filter(({ state }) => state === "passed").map(({ path }) => /\.[^./]+$/.exec(path)?.[0] ?? t("files without an extension"));
  const counts = Object.entries(Object.groupBy(endings, (ending) => ending)).sort((a, b) => b[1].length - a[1].length);
  return counts.slice(0, 4).map(([ending]) => ending).join(", ") + (counts.length > 4 ? t(" and others") : "");
}

const whyNot = ({ path, error }) => sentenceOf(error, { file: path });

function stateOf({ state, note }, isDone, error) {
  if (state === "failed") return "failed";
  if (state === "cancelled" || state === "passed") return "warning";
  if (state === "in" && isDone) return error || note ? "warning" : "done";
  return "busy";
}

function recognising({ path, pages, fetched }) {
  if (fetched && fetched.loaded < fetched.total) return t`${path}: downloading the text recognition, ${size(fetched.loaded)} of ${size(fetched.total)}`;
  return pages ? t`${path}: recognising its text, page ${number(pages.page)} of ${number(pages.pages)}` : t`${path}: recognising its text…`;
}

function lineOf(item, isDone, error) {
  const { path, state, replaced, isSame, chunks, cut, count, note, isIn } = item;
  const words = {
    waiting: () => t`${path}: waiting`,
    reading: () => (item.recognise ? recognising(item) : item.pages ? t`${path}: reading, page ${number(item.pages.page)} of ${number(item.pages.pages)}` : t`${path}: reading…`),
    read: () => t`${path}: read`,
    adding: () => (item.rows ? t`${path}: ${number(item.rows.loaded)} of ${plural(item.rows.total, "row")} added` : t`${path}: being added…`),
    failed: () => (isIn ? t`${path} stays as it was. ${whyNot(item)}` : t`${path} was not added. ${whyNot(item)}`),
    cancelled: () => (isIn ? t`${path} stays as it was: this was stopped.` : t`${path} was not added: adding was stopped.`),
    passed: () => t`${path} was skipped: this file type is not supported.`,
    in: () => t`${path}: can be searched by words; being understood…`,
  };
  if (state !== "in" || !isDone) return words[state]();
  const rows = count > 1 ? plural(count, "row") : null;
  const what = [rows, chunks === undefined ? null : plural(chunks, "passage")].filter(Boolean).join(", ");
  const long = cut > 0 ? t` In ${plural(cut, "passage")}, the end exceeded the model’s input and is found by words only.` : "";
  const byWords = error ? t` It is found by words only. ${sentenceOf(error)}` : "";
  const done = isSame ? t`${path} is in the library already, and has not changed.` : `${replaced ? t`${path} replaced` : t`${path} added`}${what && `: ${what}`}.`;
  return `${done}${note ? ` ${note}` : ""}${long}${byWords}`;
}
