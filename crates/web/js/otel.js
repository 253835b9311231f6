// Converts a run to OpenTelemetry spans, with the semantic conventions for generative AI. `spans` makes plain data of a run's events;
// `trace` passes them to the user's tracer, which comes from the OpenTelemetry API: this package has no dependency on it.

import { invalid } from "./error.js";
import { any, checked, flag, shown, text } from "./options.js";

const AGENT = "vademecum";
const OPTIONS = { content: flag, agent: text, provider: text };

/** Constants of the API. */
const KINDS = { internal: 0, client: 2 };
const STATUS = { unset: 0, error: 2 };

/**
 * Returns the spans of a run, parents before children: the run, its steps, and every call in them. Times are milliseconds since the
 * start of the run; `parent` is an index into the list. Spans that are open at the last event end there.
 *
 * @param options `content: true` adds prompts, replies and queries; `agent` and `provider` are names
 */
export function spans(events, options) {
  if (!Array.isArray(events)) throw invalid("events", "an array of a run's events", shown(events));
  return new Trace(checked("spans", options, OPTIONS)).add(events).spans;
}

/**
 * Passes the spans of a run to a tracer once it has ended, and resolves to them as data. Call it when the run starts: events have
 * times relative to the start, and clocks are compared while they arrive.
 *
 * @param options those of `spans`, and `context`, the API context that the run belongs to
 */
export async function trace(run, tracer, options) {
  if (typeof run?.[Symbol.asyncIterator] !== "function") throw invalid("run", "a run of the agent", shown(run));
  if (typeof tracer?.startActiveSpan !== "function") throw invalid("tracer", "a tracer of the OpenTelemetry API", shown(tracer));
  const { context, ...rest } = checked("trace", options, { ...OPTIONS, context: any });
  const tree = new Trace(rest);
  let began = Date.now();
  try {
    for await (const event of run) {
      tree.add([event]);
      began = Math.min(began, Date.now() - event.at);
    }
  } catch (refused) {
    tree.refuse(refused);
  }
  emit(tracer, tree.spans, began, context);
  return tree.spans;
}

/** Starts children while their parent is the active span, so that nesting works with every context manager. */
function emit(tracer, spans, began, context) {
  const begin = (index, within) => {
    const { name, kind, attributes, startMs, endMs, status, events } = spans[index];
    const own = (span) => {
      spans.forEach(({ parent }, child) => parent === index && begin(child, []));
      for (const event of events) span.addEvent(event.name, event.attributes, began + event.atMs);
      if (status.code === "error") span.setStatus({ code: STATUS.error, message: status.message });
      span.end(began + endMs);
    };
    tracer.startActiveSpan(name, { kind: KINDS[kind], attributes, startTime: began + startMs }, ...within, own);
  };
  begin(0, context === undefined ? [] : [context]);
}

class Trace {
  #content;
  #provider;
  #open = []; // indexes of open steps

  constructor({ content = false, agent = AGENT, provider }) {
    this.#content = content === true;
    this.#provider = provider;
    this.spans = [];
    const attributes = { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": agent, ...this.#of(provider) };
    this.#begin(`invoke_agent ${agent}`, "internal", 0, null, attributes);
  }

  add(events) {
    for (const event of events) {
      if (!Number.isFinite(event?.at)) throw invalid("events", "events with the time they happened `at`", shown(event));
      this.#take[event.type]?.(event);
      for (const place of [0, ...this.#open]) this.spans[place].endMs = event.at;
    }
    return this;
  }

  /** The error of a run that never started. */
  refuse(error) {
    this.#fail(this.spans[0], error);
  }

  #take = {
    start: ({ at, step, metadata }) => {
      const place = this.#begin(step, "internal", at, this.#parent(), { "vademecum.step": step, ...this.#told(metadata) });
      this.#open.push(place);
    },
    stop: ({ at, step, metadata }) => Object.assign(this.#end(step, at).attributes, this.#told(metadata)),
    failed: ({ at, step, error, fallback }) => {
      if (fallback === undefined) return this.#fail(this.#end(step, at), error);
      const attributes = { "error.type": error.code, "vademecum.fallback": fallback, ...this.#messageOf(error) };
      this.spans[this.#parent(step)].events.push({ name: "vademecum.fallback", atMs: at, attributes });
    },
    tool: ({ at, step, call }) => {
      const [name, kind, attributes] = call.tool === "llm" ? this.#chat(call) : this.#tool(call);
      const parent = this.#parent(step);
      const began = Math.max(this.spans[parent].startMs, at - call.durationMs);
      const place = this.#begin(name, kind, began, parent, { ...attributes, "vademecum.step": step });
      this.spans[place].endMs = at;
      if (call.error) this.#fail(this.spans[place], call.error);
    },
    send: ({ at, step, entry }) => {
      const { sent, bytes, changed, sources, request, reason, tool, tainted } = entry;
      const texts = { reason, request: json(request), args: json(tool?.args) };
      this.#note("send", at, step, { sent, bytes, changed, tool: tool?.name, tainted, sources: sources?.length }, texts);
    },
    suspicion: ({ at, step, suspicion }) => {
      const { kind, score, text, docId, collection } = suspicion;
      this.#note("suspicion", at, step, { kind, score }, { text, docId, collection });
    },
    clarify: ({ at, step, clarification }) => {
      const { type, total, question, missingInfo } = clarification;
      this.#note("clarify", at, step, { type, total }, { question, missingInfo });
    },
    done: ({ terminatedBy, usage }) => {
      const [root] = this.spans;
      Object.assign(root.attributes, {
        "gen_ai.usage.input_tokens": usage.promptTokens,
        "gen_ai.usage.output_tokens": usage.completionTokens,
        "vademecum.llm_calls": usage.llmCalls,
        "vademecum.usage.estimated": usage.estimated,
        "vademecum.terminated_by": terminatedBy,
      });
      const failed = this.spans.find(({ parent, status }) => parent === 0 && status.code === "error");
      if (terminatedBy === "error" && failed) [root.status, root.attributes["error.type"]] = [failed.status, failed.attributes["error.type"]];
      if (terminatedBy === "aborted") this.#fail(root, { code: "aborted" });
    },
  };

  /** Adds an event to the span of a step: counts and kinds, and texts only if content is enabled. */
  #note(name, atMs, step, plain, texts) {
    const all = Object.entries({ ...plain, ...(this.#content ? texts : {}) });
    const attributes = given(Object.fromEntries(all.map(([key, value]) => [`vademecum.${name}.${snake(key)}`, value])));
    this.spans[this.#parent(step)].events.push({ name: `vademecum.${name}`, atMs, attributes });
  }

  #begin(name, kind, startMs, parent, attributes) {
    this.spans.push({ name, kind, startMs, endMs: startMs, parent, attributes: given(attributes), status: { code: "unset" }, events: [] });
    return this.spans.length - 1;
  }

  #end(step, at) {
    const place = this.#parent(step);
    this.#open = this.#open.filter((open) => open !== place);
    this.spans[place].endMs = at;
    return this.spans[place];
  }

  /** Returns the step of this name that started last, else the last open one, else the run. */
  #parent(step) {
    const named = this.#open.findLast((place) => this.spans[place].attributes["vademecum.step"] === step);
    return named ?? this.#open.at(-1) ?? 0;
  }

  #fail(span, error) {
    span.status = { code: "error", ...(this.#content && error.message !== undefined ? { message: error.message } : {}) };
    span.attributes["error.type"] = error.code ?? "internal";
  }

  /** @returns {[string, string, Record<string, any>]} */
  #chat({ arguments: { request }, result }) {
    const { model, stream, messages, response_format } = request ?? {};
    const { content, usage } = result ?? {};
    const name = model === undefined ? "chat" : `chat ${model}`;
    const spoken = this.#content && { "gen_ai.input.messages": messagesOf(messages ?? []), "gen_ai.output.messages": replyOf(content) };
    const attributes = {
      "gen_ai.operation.name": "chat",
      ...this.#of(this.#provider),
      "gen_ai.request.model": model,
      "gen_ai.request.stream": stream === true ? true : undefined,
      "gen_ai.output.type": response_format === undefined ? undefined : "json",
      "gen_ai.usage.input_tokens": usage?.promptTokens,
      "gen_ai.usage.output_tokens": usage?.completionTokens,
      "vademecum.usage.estimated": usage?.estimated,
      ...spoken,
    };
    return [name, "client", attributes];
  }

  /** @returns {[string, string, Record<string, any>]} */
  #tool(call) {
    const { arguments: asked, result } = call;
    // The user's functions have the names of the pipeline's data.
    const tool = call.tool === "function" ? (asked?.name ?? call.tool) : call.tool;
    const told = this.#content && { "gen_ai.tool.call.arguments": json(asked), "gen_ai.tool.call.result": json(result) };
    const attributes = {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": tool,
      "gen_ai.tool.type": call.tool === "search" ? "datastore" : "function",
      "gen_ai.tool.call.id": call.id,
      "gen_ai.data_source.id": call.tool === "search" ? asked?.collection : undefined,
      "vademecum.chunks": result?.chunks?.length,
      ...told,
    };
    return [`execute_tool ${tool}`, "internal", attributes];
  }

  #of = (provider) => (provider === undefined ? {} : { "gen_ai.provider.name": provider });
  #messageOf = ({ message }) => (this.#content ? { "exception.message": message } : {});

  /** Attributes of a step: counts, and who carried it out; texts only if content is enabled. */
  #told(metadata) {
    const plain = ([name, value]) => typeof value === "number" || typeof value === "boolean" || name === "by";
    const fits = this.#content ? ([, value]) => value !== null && value !== undefined : plain;
    const named = ([name, value]) => [`vademecum.${snake(name)}`, typeof value === "object" ? json(value) : value];
    return Object.fromEntries(Object.entries(metadata ?? {}).filter(fits).map(named));
  }
}

const given = (attributes) => Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const json = (value) => (value === undefined || value === null ? undefined : JSON.stringify(value));
const part = (content) => ({ type: "text", content: typeof content === "string" ? content : JSON.stringify(content ?? "") });
const messagesOf = (messages) => json(Array.isArray(messages) ? messages.map(({ role, content }) => ({ role, parts: [part(content)] })) : []);
const replyOf = (content) => json(content === undefined ? undefined : [{ role: "assistant", parts: [part(content)] }]);
