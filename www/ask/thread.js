// Asks the agent. Every question is one of a conversation; unless the thread is kept, that conversation has it alone.

import { Agent } from "../vademecum/index.js";
import { STYLES } from "./styles.js";
import { voiceOf } from "./voice.js";

/** @param app what the parts of the page share: see main.js */
export class Thread {
  #app;
  #chat = null;

  constructor(app) {
    this.#app = app;
  }

  /** The turns that are kept. */
  get turns() {
    return this.#chat?.turns ?? [];
  }

  /** The next question is the first one. */
  clear() {
    this.#chat = null;
  }

  /**
   * Begins a run and gives its record.
   *
   * @param asked `{ question, reply?, goOn?, before? }`: `reply` answers what the user was asked, `goOn` is the state of a run to go on
   *   with, and `before` the record of the run that either belongs to
   */
  async begin({ question, reply, goOn, before }, settings, signal) {
    const { kb, model, runs, veto, filters } = this.#app;
    const { name: modelName = null, where = modelName, llm: own, model: named, isElsewhere = false } = model.value ?? {};
    const { llm, recording } = voiceOf(own);
    const agents = { agent: new Agent(kb, { llm, model: named }), quoting: new Agent(kb) };
    const { style, budget } = before?.settings ?? settings;
    const begin = (_, text, { goOn: state, history, historyTokens, ...ends }) =>
      state
        ? agents.agent.resume(state, undefined, { ...ends, signal })
        : STYLES[style].begin(agents, text, { settings, history, historyTokens, ...scope, budget: ends.budget }, { onBeforeSend: ends.onBeforeSend, signal });
    const scope = { collections: await this.#collections(settings), ...(filters?.value && { filters: filters.value }) };
    signal.throwIfAborted();
    const last = before ? before.chat : settings.thread ? this.#chat : null;
    // The model may be another one than before: what was said goes on with it.
    const chat = last ? agents.agent.conversationFrom(last.toJSON(), { style: begin }) : agents.agent.conversation({ style: begin });
    if (chat.pending && reply === undefined) await chat.dismiss();
    this.#chat = chat;
    let record = null;
    const onBeforeSend = (payload, context) => veto.ask(record, payload, context);
    const run = chat.ask(reply ?? question, { signal, onBeforeSend, ...(Object.keys(budget).length > 0 && { budget }), ...(goOn && { goOn }) });
    record = runs.begin({ question, reply, goesOn: goOn !== undefined, style, settings: before?.settings ?? settings, run, chat, recording, budget, model: own ? { name: modelName, where, isElsewhere } : null });
    return record;
  }

  /** Those chosen that are there; all that hold something where none is chosen. */
  async #collections({ collections }) {
    const all = (await this.#app.kb.stats()).collections;
    const chosen = all.filter(({ name }) => collections.includes(name));
    const held = all.filter(({ documents }) => documents > 0);
    return [chosen, held, all].find((some) => some.length > 0).map(({ name }) => name);
  }
}
