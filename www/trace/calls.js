// What is inside a step: what was decided, what was asked and said, what was searched and found, what failed.

import { h } from "../dom.js";
import { nameOf } from "../library/names.js";
import { callOf, messagesOf, verbatim } from "./messages.js";
import { number, plural, size } from "../words.js";
import { duration, readable } from "./words.js";

/** @param row as `stepsOf` makes it; `view` is `{ places, open, kept }` */
export function insideOf(row, view) {
  const parts = [
    ...row.thoughts.map(({ by, text }) => h("p.thought", {}, h("span.by", {}, BY[by] ?? by), text)),
    ...row.failures.filter(({ error }) => !row.thoughts.some(({ text }) => text.includes(error.message))).map(failureOf),
    ...row.suspicions.map((one) => h("p.failure", {}, `Looks as if it was written for a model (${one.kind}): “${one.text.slice(0, 160)}” `, view.places.button(one.chunkId, view))),
    ...row.items.map((item) => KINDS[item.kind](item, view)),
  ];
  const told = Object.entries(row.metadata ?? {}).filter(([, value]) => value !== null);
  if (told.length > 0) parts.push(h("details.raw", {}, h("summary", {}, "What it left"), verbatim(JSON.stringify(Object.fromEntries(told), null, 2))));
  return parts.length > 0 ? parts : [h("p.hint", {}, "Nothing is told of it yet.")];
}

const BY = { llm: "model", rule: "rule", function: "function" };

const failureOf = ({ error, fallback }) =>
  h("p.failure", {}, error.message, ...(fallback ? [" ", h("b", {}, `Instead: ${fallback}.`)] : []));

function llmCall({ call, entry, from, to }) {
  const { result, error } = call;
  const usage = result?.usage;
  const request = entry?.request ?? call.arguments.request;
  const tokens = usage ? `${usage.estimated ? "about " : ""}${number(usage.promptTokens)} + ${plural(usage.completionTokens, "token")}` : null;
  const head = ["Request to the model", tokens, duration(to - from), entry ? size(entry.bytes) : null, entry?.changed ? "changed before it was sent" : null, entry && !entry.sent ? "kept back" : null];
  const said = error
    ? [h("p.failure", {}, error.message)]
    : [h("div.message.reply", {}, h("span.role", {}, "reply"), verbatim(result?.content ?? ""), ...toolCallsOf(result).map(callOf))];
  return h("div.call.llm", {}, headOf(head), h("details", {}, h("summary", {}, entry && !entry.sent ? "What would have been sent" : "What was sent"), h("div.messages", {}, ...messagesOf(request))), ...said);
}

const toolCallsOf = (result) => (result?.toolCalls ?? result?.tool_calls ?? []).map((call) => call.function ?? call);

function searchCall({ call, from, to }, view) {
  const { chunks, total, degraded } = call.result;
  const { question, query, collection, bucket, ...rest } = call.arguments;
  const head = [call.tool === "search" ? "Search" : readable(call.tool), plural(total ?? chunks.length, "passage"), duration(to - from), degraded ? "by words only" : null];
  const where = collection ?? bucket;
  return h("div.call.search", {},
    headOf(head),
    h("p.asked", {}, `“${question ?? query ?? ""}”`, where ? h("span.hint", {}, ` in ${nameOf(where)}`) : null),
    chunks.length > 0 ? view.places.list(chunks, view) : h("p.hint", {}, "Nothing was found."),
    Object.keys(rest).length > 0 ? h("details.raw", {}, h("summary", {}, "How it was searched"), verbatim(JSON.stringify(rest, null, 2))) : null,
  );
}

function toolCall({ call, from, to }) {
  return h("div.call", {},
    headOf([readable(call.tool), duration(to - from), call.error ? "failed" : null]),
    verbatim(JSON.stringify(call.arguments, null, 2)),
    call.error ? h("p.failure", {}, call.error.message) : verbatim(JSON.stringify(call.result, null, 2)),
  );
}

function waiting({ entry }) {
  const sent = h("details", {}, h("summary", {}, "What was sent"), h("div.messages", {}, ...messagesOf(entry.request)));
  return h("div.call.llm", {}, headOf(["Request to the model", size(entry.bytes), "no reply yet"]), sent);
}

/** @param {any[]} parts */
function headOf([title, ...facts]) {
  return h("p.call-head", {}, h("b", {}, title), h("span.hint", {}, facts.filter(Boolean).join(" · ")));
}

const KINDS = { llm: llmCall, search: searchCall, tool: toolCall, wait: waiting };
