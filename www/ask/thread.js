// Asks the agent. Every question belongs to a conversation: the one stored with the library, or a new one of its own.

import { Agent } from "../vademecum/index.js";
import { remember, remembered } from "../remember.js";
import { chosenOf, narrowedTo, searchedOf } from "./scope.js";
import { STYLES } from "./styles.js";
import { recordedLlm } from "./recorded-llm.js";
import { uncited } from "./uncited.js";

/** Name of the first stored conversation. */
const NAME = "ask";
/** The current one is remembered under this name. */
const REMEMBERED = "thread";

/** @param app what the parts of the page share: see main.js */
export class Thread {
  #app;
  #chat = null; // a copy that is not stored, used while another tab writes the library
  #name = String(remembered(REMEMBERED, NAME));
  #isNew = false; // whether the next copy begins with nothing, and not with the stored turns
  #turns = []; // those that the stored conversation begins with
  #beginning = Promise.resolve(); // what the next question waits for
  #times = 0; // how often it was forgotten
  #number = 0; // another one for each thread of this visit

  constructor(app) {
    this.#app = app;
  }

  /** The stored turns. */
  async turns() {
    this.#follow();
    const chat = new Agent(this.#app.kb).conversation(this.#stored);
    await chat.ready;
    return chat.turns;
  }

  /** The name that the thread is stored under. */
  get name() {
    this.#follow();
    return this.#name;
  }

  /** Starts a new thread with the next question, which waits for the deletion of the stored one. */
  clear() {
    this.#beginning = this.#clear();
    return this.#beginning;
  }

  async #clear() {
    this.#follow();
    this.#number += 1;
    this.#chat = null;
    this.#turns = [];
    const { kb } = this.#app;
    // The stored thread belongs to the other tab that writes the library: it stays there.
    this.#isNew = (await kb.stats()).library?.readOnly ?? false;
    if (!this.#isNew) await kb.deleteConversation(this.#name);
  }

  /** Forgets the thread and its copies, also what is not stored yet: after the deletion of the library, no text of it may return. */
  async forget() {
    this.#times += 1;
    await this.clear();
  }

  /** Takes the thread that another tab of the page has started since. */
  #follow() {
    const name = String(remembered(REMEMBERED, this.#name));
    if (name === this.#name) return;
    this.#name = name;
    this.#number += 1;
    this.#turns = [];
  }

  /** Returns whether a run was asked in this thread, and not outside of threads or in one before. */
  has(record) {
    this.#follow();
    return record.thread === this.#number;
  }

  /** Starts a new thread with a question that was answered outside of it, and what that followed. */
  beginWith(record) {
    this.#beginning = this.#startWith(record);
    return this.#beginning;
  }

  async #startWith({ chat }) {
    const times = this.#times;
    const { library } = await this.#app.kb.stats();
    if (times !== this.#times) return;
    this.#number += 1;
    if (library?.readOnly) return void (this.#chat = chat);
    this.#chat = null; // the stored thread before is kept until everything is deleted
    // A stored conversation takes its first turns when its name is used for the first time.
    this.#name = `${NAME} ${Date.now()}`;
    this.#turns = chat.history.map((turn) => ({ ...turn, answer: uncited(turn, chat.turns) })); // the sources of its numbers are not stored
    remember(REMEMBERED, this.#name);
  }

  get #stored() {
    return { keep: this.#name, ...(this.#turns.length > 0 && { turns: this.#turns }) };
  }

  /**
   * Starts a run and returns its record.
   *
   * @param asked `{ question, reply?, goOn?, before?, isByRules? }`: `reply` answers a clarification, `goOn` is the state of a run to
   *   resume, and `before` the record of the run that either belongs to; with `isByRules`, no model is called, whichever is chosen
   */
  async begin({ question, reply, goOn, before, isByRules = false }, settings, signal) {
    const { kb, model, runs, veto, filters } = this.#app;
    await this.#beginning.catch(() => {}); // reported where it was called
    this.#follow();
    const { name: modelName = null, where = modelName, llm: own, model: named, isElsewhere = false } = (isByRules ? null : model.value) ?? {};
    const { llm, recording } = recordedLlm(own);
    const agents = { agent: new Agent(kb, { llm, model: named }), quoting: new Agent(kb) };
    const { style, budget, thread: isKept } = before?.settings ?? settings;
    /** @type {any} */
    const begin = (_, text, { goOn: state, history, historyTokens, ...ends }) =>
      state
        ? agents.agent.resume(state, reply, { ...ends, signal })
        : STYLES[style].begin(agents, text, { settings, history, historyTokens, ...scope, budget: ends.budget }, { onBeforeSend: ends.onBeforeSend, signal });
    const { collections, library } = await kb.stats();
    const names = searchedOf(collections, settings.collections);
    const scope = { ...(names.length > 0 && { collections: names }), ...(filters?.value && { filters: filters.value }) };
    signal.throwIfAborted();
    const kept = isKept ? agents.agent.conversation({ style: begin, ...this.#stored }) : null;
    const number = kept ? this.#number : null;
    await kept?.ready;
    // If the conversation cannot be stored, it continues as a copy. The model may have changed: the history is passed on to the new one.
    const last = kept ? (this.#chat ?? (this.#isNew ? null : kept)) : before?.chat;
    const copy = () => (last ? agents.agent.conversationFrom(last.toJSON(), { style: begin }) : agents.agent.conversation({ style: begin }));
    const chat = kept && !library?.readOnly ? kept : copy();
    this.#chat = kept && library?.readOnly ? chat : null;
    this.#isNew &&= !kept;
    // The thread may have continued since the clarification: then the reply belongs to the run, and starts a turn of its own.
    const isAnswer = reply !== undefined && chat.toJSON().pending?.runId === before.run.id;
    if (chat.pending && !isAnswer) await chat.dismiss();
    const state = goOn ?? (reply !== undefined && !isAnswer ? before.result.state : undefined);
    let record = null;
    const onBeforeSend = (payload, context) => veto.ask(record, payload, context);
    const run = chat.ask(reply ?? question, { signal, onBeforeSend, ...(Object.keys(budget).length > 0 && { budget }), ...(state && { goOn: state }) });
    const narrowed = narrowedTo({ filters: filters?.value ?? null, collections: chosenOf(collections, settings.collections) });
    record = runs.begin({ question, reply, narrowed, goesOn: goOn !== undefined, thread: number, style, settings: before?.settings ?? settings, run, chat, recording, budget, model: own ? { name: modelName, where, isElsewhere } : null });
    return record;
  }
}
