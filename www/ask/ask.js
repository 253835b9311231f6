// The Ask tab: keeps the question field, the run and the address in step.

import { addressOf, saidOf, tabOf, whenLeft } from "../address.js";
import { byId, drawn } from "../dom.js";
import { removedFrom, hasRemovedPassages, snapshotOf } from "../run-snapshot.js";
import { complainIn } from "../notice.js";
import { addFiles, addSample } from "./adding.js";
import { startAnswer } from "./answer.js";
import { startExamples } from "./examples.js";
import { isTouched, startField } from "./field.js";
import { isFollowUp } from "./follow-up.js";
import { startHead } from "./head.js";
import { showNearest } from "./hits.js";
import { failed } from "./notes.js";
import { startRecent } from "./recent.js";
import { startRenewal } from "./renewal.js";
import { besides, follow } from "./run.js";
import { startSettings } from "./settings.js";
import { STYLES } from "./styles.js";
import { Thread } from "./thread.js";
import { showTurns } from "./turns.js";
import { BEING_READ, isSearchable, nothingIn, Passages } from "./typing.js";
import { t } from "../words.js";

const withoutModel = ({ name }) => t`This question was not repeated automatically, because ${name} is no longer in use. Press Enter to ask without a language model.`;
/** Milliseconds until a message has its final position. */
const SETTLED = 100;
const ASK = byId("question").placeholder;
const FOLLOW_UP = t("Ask a follow-up, such as “why?”");

/** @param app what the parts of the page share: see main.js */
export function startAsk(app) {
  const { kb, open, runs, goTo, chosenRun, changed, searchable, model, absent } = app;
  const complain = complainIn("ask");
  const question = byId("question");
  const say = (text) => (byId("ask-said").textContent = text);
  const { settings, change, offer } = startSettings(app);
  const askFor = (other) => {
    question.value = other;
    submit();
  };
  const passages = new Passages({ ...app, complain, askFor }, () => settings.value.collections);
  const thread = new Thread(app);
  const answer = startAnswer({
    kb,
    open,
    askFor,
    addFiles,
    addSample,
    askIn(record, style) {
      change({ style });
      askFor(record.question);
    },
    askEverywhere(record) {
      question.value = ""; // what follows asks, not the change of the filter
      app.filters.value = null;
      change({ collections: [] });
      askFor(record.question);
    },
    followUp: (record) => void followUp(record).catch(complain),
    reply: (record, reply) => ask({ question: record.question, reply, before: record }),
    goOn: (record) => ask({ question: record.question, goOn: record.result.state, before: record }),
    trace: (record) => {
      chosenRun.value = record;
      goTo("trace");
    },
  });
  const renewal = startRenewal({ thread, passages, runs, answer });
  let asking = null; // AbortController of the current run
  let shown = null; // record of the run on the page
  let wasOn = false; // whether the thread was kept by the options
  /** @type {false | "button" | "words"} whether a follow-up has begun a thread that the options do not keep: it ends with the next new question */
  let isGoingOn = false; // "words": it was typed without the button
  let place = 0; // scroll position when the question was asked
  let isRead = false; // whether all automatic loading has finished
  let isWhole = false; // whether meanings can be searched for in all of it
  const first = Promise.withResolvers(); // until the passages of the first question are drawn

  const field = startField({ submit: () => submit({ isTyped: true }), stop: () => asking?.abort(), typed, goTo });
  const head = startHead(model, anew);
  const recent = startRecent(askFor);
  const toTry = startExamples({ kb, complain, filters: app.filters }, askFor, addFiles);
  /** Shows what is offered before anything is typed or asked. */
  const offerStart = (is) => {
    toTry.show(is);
    recent.show(is);
  };
  changed.on(async () => {
    const wasRead = isRead;
    try {
      const { collections } = await kb.stats();
      offer(collections);
      toTry.offer(collections, wasRead);
    } catch (error) {
      complain(error);
    }
  });
  changed.on(({ added }) => added && runs.list.value.forEach((record) => record.state === "running" && (record.isOvertaken = true)));
  changed.on(({ forgotten }) => {
    if (!forgotten) return;
    isGoingOn = false;
    question.value = "";
    clear();
    whenLeft(() => history.replaceState(null, "", addressOf(tabOf()))); // removes the question, which would be asked of nothing
    recent.forget();
    thread.forget().catch(complain);
  });
  app.filters?.on(() => {
    if (!question.value || asking) return;
    if (shown?.state === "done" && !shown.asked?.reply && !model.value && mayRenew(shown)) return askFor(shown.question);
    answer.setAside(true); // it is of another scope
    void passages.typed(question.value);
  });

  settings.on(({ thread: isOn }) => {
    if (isOn === wasOn) return;
    wasOn = isOn;
    keepGoing();
    if (!shown && !asking) showKept().catch(complain);
  });

  searchable.then(() => {
    isRead = true;
    if (!settings.value.thread && history.state?.thread === thread.name) isGoingOn ||= "button"; // the page was loaded again
    if (asking) return; // the run waits for the library and then continues
    const typed = question.value.trim();
    const asked = saidOf().get("q");
    if (asked !== null && (!typed || typed === asked.trim())) followAddress();
    else if (typed) void passages.typed(question.value);
  });

  app.whole.then(() => {
    isWhole = true;
    if (!asking) void renew();
  });

  /** Whether the next question is asked in the thread that is stored. */
  function isKept() {
    return settings.value.thread || isGoingOn;
  }

  /** Keeps a thread that a follow-up has begun only as long as the options say, also after a reload. */
  function keepGoing() {
    isGoingOn = false;
    whenLeft(() => {
      const { thread: begun, ...rest } = history.state ?? {};
      if (begun) history.replaceState(rest, "");
    });
  }

  /** Goes on from an answer: until the next new question the thread is kept, and begins with it unless it is a part of it. */
  async function followUp(record) {
    question.value = "";
    question.placeholder = FOLLOW_UP;
    question.focus();
    await goOnFrom(record, "button");
  }

  async function goOnFrom(record, /** @type {"button" | "words"} */ how) {
    const begun = isKept() && thread.has(record) ? null : thread.beginWith(record);
    isGoingOn = settings.value.thread ? false : how;
    await begun;
  }

  /** A typed follow-up of the answer in view begins a thread, which ends with the next typed question that is none. The question waits for either. */
  function goOnByWords(text) {
    if (text === shown?.question) return; // it is asked again
    const follows = isFollowUp(text);
    if (follows && shown?.state === "done" && !isKept()) return void goOnFrom(shown, "words").catch(complain);
    if (follows || isGoingOn !== "words") return;
    isGoingOn = false;
    thread.clear().catch(complain);
  }

  /** @param asked `{ question, reply?, goOn?, before? }`, as `Thread.begin` takes it */
  async function ask(asked, { isNew = true } = {}) {
    asking?.abort();
    renewal.stop();
    passages.stop();
    const abort = (asking = new AbortController());
    const isLast = () => asking === abort;
    const focused = document.activeElement;
    complain(null);
    say("");
    begun(true);
    field.busy(true);
    const last = shown;
    shown = null;
    try {
      const waits = !isRead;
      if (waits) await untilRead(focused, abort.signal);
      const isEarly = !isWhole; // meanings may become searchable during the search
      const finding = passages.asked(asked.question, abort.signal);
      answer.begin(asked);
      handOn(focused);
      if (isTouched()) question.blur(); // otherwise the keyboard would cover the answer
      answer.bringIntoView();
      place = scrollY;
      const showing = finding.then((found) => found && isLast() && !isLeft(asked) && passages.show(found, asked.question)).catch(complain);
      if (waits) await showing.then(drawn).then(first.resolve); // the run has to load the agent
      const record = await thread.begin(asked, { ...settings.value, thread: isKept() }, abort.signal);
      Object.assign(record, { asked, isEarly });
      record.quotedBefore = isKept() ? last?.result?.citations ?? [] : [];
      if (last?.question === asked.question && last.style !== record.style && !asked.reply && !asked.goOn) record.again = { cited: last.result?.citations ?? [] };
      if (isLast()) enter(record, isNew);
      record.finding = finding.then((found) => void (record.found = found));
      await (record.ended = follow(record, abort.signal, { runs, answer, isShown: () => shown === record }));
      if (isLast()) await finish(record);
    } catch (error) {
      if (isLast()) {
        answer.hide();
        begun(false);
        say("");
        if (!abort.signal.aborted) return complain(error);
        void passages.typed(question.value);
        say(t("Stopped."));
      }
    } finally {
      first.resolve();
      if (isLast()) {
        asking = null;
        field.busy(false);
        if (isWhole) void renew();
      }
    }
  }

  /** Asks again what was answered by words alone, now that meanings can be searched for. In a thread, and with a model, that is left to the user. */
  async function renew() {
    const record = shown;
    if (!record?.isEarly || record.state !== "done" || record.isLost) return;
    record.isEarly = false;
    if (!mayRenew(record)) return answer.offerAgain(record);
    const next = await renewal.repeat(record, mayRenew).catch(() => null); // then the answer by words stays
    if (!next || shown !== record || asking || byId("answer").hidden) return;
    if (next.state !== "done" || next.result.error || !mayRenew(record)) return answer.offerAgain(record);
    enter(next, false);
    await finish(next).catch(complain);
  }

  /** Returns whether an answer may be replaced by itself. */
  function mayRenew(record) {
    const isAlone = !isKept() && !record.settings.thread && !record.goesOn;
    return !record.model && isAlone && !answer.isInUse() && !isLeft(record);
  }

  /** Waits for the library; can be stopped. */
  async function untilRead(focused, signal) {
    answer.hide();
    passages.none();
    say(BEING_READ);
    handOn(focused);
    const stopped = new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    await Promise.race([searchable, stopped]);
    say("");
  }

  /** Moves the focus from a removed control to the next possible action. */
  function handOn(focused) {
    const isFree = [focused, document.body, null].includes(document.activeElement);
    if (isFree && focused?.checkVisibility() === false) byId("stop-button").focus({ preventScroll: true });
  }

  function showFound() {
    passages.stop();
    say("");
    passages.show(shown.found, shown.question, shown.gone);
  }

  async function finish(record) {
    const { result, error } = record;
    await record.finding; // what is said of the answer has to agree with the passages below it
    await findAsUnderstood(record);
    const more = await besides(kb, record);
    if (shown !== record) return;
    // The model may have failed, but not the documents: show their passages below the error.
    const trouble = record.state === "stopped" ? null : (error ?? result.error ?? failed(result)[0] ?? null);
    if (record.state !== "stopped") complain(trouble);
    answer.show(record, more);
    if (isLeft(record) && !isKept()) return; // the passages are those of what was typed during the run
    if (record.found) passages.stop(); // of what was typed during the run
    if (record.found && app.hits.value !== record.found.hits) showFound();
    if (result?.abstained && record.found?.hits.length > 0) showNearest(result);
    const isTyping = document.activeElement === question && isLeft(record);
    if (record.state === "clarify" && !isTyping) document.querySelector(".clarify-question")?.focus();
    // Notes and messages above may have moved it. A page that was scrolled since stays where it is.
    if (trouble || scrollY === place) setTimeout(() => shown === record && answer.bringIntoView(), SETTLED);
  }

  /** Whether something else was typed since. */
  function isLeft(record) {
    const text = question.value.trim();
    return text !== "" && text !== record.question;
  }

  /** Searches again for a follow-up as it was understood: its own words, such as “why?”, may find nothing. */
  async function findAsUnderstood(record) {
    const understood = record.result?.rewrittenQuestion;
    if (!understood || understood === record.question || record.isUnderstood || question.value.trim() !== record.question) return;
    record.isUnderstood = true;
    const found = await passages.asked(understood);
    if (!found) return;
    record.found = found;
    if (shown === record && question.value.trim() === record.question) passages.show(found, understood);
  }

  /** Links the run on the page to an entry in the browser's history. */
  function enter(record, isNew) {
    shown = record;
    chosenRun.value = record;
    whenLeft(() => {
      const said = new URLSearchParams({ q: record.question, style: record.style });
      const address = addressOf(tabOf(), said);
      const isSame = String(saidOf()) === String(said);
      const state = { run: record.id, ...(isGoingOn && { thread: thread.name }) };
      if (isNew && !isSame) history.pushState(state, "", address);
      else history.replaceState(state, "", isNew ? address : undefined);
    });
    listTurns();
  }

  function listTurns() {
    const { run, chat } = shown;
    const turns = chat.turns;
    const own = turns.findIndex(({ runId }) => runId === run.id);
    const isForgotten = own < 0 && shown.state === "done"; // a new thread was started since
    showTurns(isForgotten ? [] : own < 0 ? turns : turns.slice(0, own), open);
  }

  /** Loads the stored thread, if no answer is shown. Returns its turns. */
  async function showKept(options) {
    const turns = isKept() ? await thread.turns() : [];
    if (!shown && !asking) showTurns(turns, open, options);
    return turns;
  }

  /**
   * Handles the question of the address after a page load. The last question of the thread is not asked again.
   *
   * @param isOwn whether it was asked here before: text from a link is sent to no model without consent
   */
  async function askUnlessKept(text, { isOwn }) {
    const before = asking;
    const turns = isKept() ? await thread.turns() : [];
    if ((asking && asking !== before) || question.value.trim() !== text) return; // another question is being asked
    const isLast = turns.at(-1)?.question === text;
    const waits = isLast ? "" : absent.value ? withoutModel(absent.value) : !isOwn && model.value?.isElsewhere ? t`Press Enter to ask this: it goes to ${model.value.name}.` : "";
    if (!isLast && !waits) return ask({ question: text }, { isNew: false });
    clear();
    if (isLast) return showKept({ isLastOpen: true });
    say(waits);
    question.focus();
  }

  /** Searches for what is typed. An answer stays until something else is asked, with its own passages unless something else is typed. */
  function typed() {
    const text = question.value.trim();
    if (!shown && !asking) offerStart(!text);
    if (shown && !asking && (isKept() || !text || text === shown.question)) {
      answer.setAside(false);
      if (shown.found) showFound(); // an answer keeps its passages while it is shown
      return;
    }
    void passages.typed(question.value, { isBeside: (shown ?? asking) !== null && text !== shown?.question });
  }

  function clear() {
    asking?.abort();
    renewal.stop();
    asking = shown = null;
    field.busy(false);
    complain(null);
    answer.hide();
    showTurns([], open);
    passages.stop();
    passages.none();
    say("");
    begun(false);
  }

  /** Folds the head once a question is asked; what is offered at the start is shown while the field is empty. */
  function begun(is) {
    head.fold(is);
    question.placeholder = is && isKept() ? FOLLOW_UP : ASK;
    offerStart(!is && !question.value.trim());
  }

  /** Returns to the start. A new question ends a thread that a follow-up has begun; one that the options keep goes on. */
  function anew(isNew) {
    if (isNew && !settings.value.thread) return endThread(isGoingOn);
    leave();
    if (isNew) question.focus();
    if (isKept()) showKept().catch(complain);
  }

  function leave() {
    if (shown || asking) whenLeft(() => history.pushState(null, "", addressOf("ask")));
    question.value = "";
    clear();
  }

  /** Returns to the start, where the next question begins a new thread. */
  function endThread(isStored) {
    if (isStored) thread.clear().catch(complain);
    isGoingOn = false;
    leave();
    question.focus();
  }

  /** Removes hits in deleted documents, and answers that are based on them; other answers stay. */
  async function refresh(removed) {
    const record = shown;
    renewal.stop(); // it may quote what was deleted
    if (!record && !asking) void passages.typed(question.value);
    if (!record || !(await hasRemovedPassages(kb, record, removed)) || record !== shown) return;
    const wasRunning = record.state === "running";
    if (wasRunning) {
      asking?.abort(); // the end of the run is reported in the answer's place
      Object.assign(record, { isLost: true, written: "", found: null });
    } else {
      shown = null;
      answer.hide();
    }
    void passages.typed(question.value);
    if (!wasRunning) say(t("The answer was cleared, because a document that it is based on was removed. Ask again to search the remaining documents."));
  }

  function submit({ isTyped = false } = {}) {
    const text = question.value.trim();
    if (!text) {
      say(t("Type a question first."));
      return question.focus();
    }
    if (isSearchable(text)) {
      recent.note(text);
      if (isTyped) goOnByWords(text);
      return void ask({ question: text });
    }
    clear();
    say(nothingIn(text));
  }

  /** Applies the address: shows the run of this history entry if it still exists, otherwise asks the question. */
  function followAddress() {
    const said = saidOf();
    const text = (said.get("q") ?? "").trim();
    const found = runs.find(history.state?.run);
    const record = found?.question === text ? found : undefined; // run numbers restart when the page is reloaded
    if (record && record === shown) return void (question.value = text);
    if (!record && shown?.question === text && history.state === null) return; // returning from another tab of the page
    question.value = text;
    if (Object.hasOwn(STYLES, said.get("style") ?? "") && said.get("style") !== settings.value.style) change({ style: said.get("style") });
    if (record) return recall(record);
    if (isSearchable(text)) return void askUnlessKept(text, { isOwn: history.state?.run !== undefined }).catch(complain);
    clear();
    if (text) say(nothingIn(text));
  }

  /** Shows an earlier run without asking again. */
  function recall(record) {
    asking?.abort();
    asking = null;
    field.busy(false);
    shown = chosenRun.value = record;
    begun(true);
    answer.begin(record);
    listTurns();
    passages.stop();
    passages.none();
    const again = async () => {
      await Promise.all([record.ended, record.finding]);
      record.gone = await removedFrom(kb, snapshotOf(record).values());
      if (shown !== record) return;
      if (record.found) passages.show(record.found, record.question, record.gone);
      await finish(record);
    };
    again().catch(complain);
  }

  byId("new-thread").addEventListener("click", () => endThread(true));
  window.addEventListener("popstate", () => {
    for (const dialog of document.querySelectorAll("dialog[open]:not(#veto)")) dialog.close();
    followAddress();
  });

  field.start();
  return {
    refresh, anew,
    /** Resolves when the passages of a question that was waiting are drawn; at once if none was. */
    begun: asking ? first.promise : Promise.resolve(),
  };
}
