// The contents of a step: decisions, requests and replies, searches and hits, failures.

import { h } from "../dom.js";
import { nameOf } from "../library/names.js";
import { callOf, messagesOf, verbatim } from "./messages.js";
import { number, plural, size } from "../format.js";
import { duration, readable } from "./format.js";
import { phrased, t } from "../words.js";

/** @param row as returned by `stepsOf`; `view` is `{ places, open, kept }` */
export function insideOf(row, view) {
  const parts = [
    ...row.thoughts.map(({ by, text }) => h("p.thought", {}, h("span.by", {}, BY[by] ?? by), phrased(text))),
    ...row.failures.filter(({ error }) => !row.thoughts.some(({ text }) => text.includes(error.message))).map(failureOf),
    ...row.suspicions.map((one) => h("p.failure", {}, t`May contain instructions to a model (${one.kind}): “${one.text.slice(0, 160)}” `, view.places.button(one.chunkId, view))),
    ...row.items.map((item) => KINDS[item.kind](item, view)),
  ];
  const told = Object.entries(row.metadata ?? {}).filter(([, value]) => value !== null);
  if (told.length > 0) parts.push(h("details.raw", {}, h("summary", {}, t("Result")), verbatim(JSON.stringify(Object.fromEntries(told), null, 2))));
  return parts.length > 0 ? parts : [h("p.hint", {}, t("No details yet."))];
}

const BY = { llm: t("model"), rule: t("rule"), function: t("function") };

const failureOf = ({ error, fallback }) =>
  h("p.failure", {}, error.message, ...(fallback ? [" ", h("b", {}, t`Instead: ${phrased(fallback)}.`)] : []));

function llmCall({ call, entry, from, to }) {
  const { result, error } = call;
  const usage = result?.usage;
  const request = entry?.request ?? call.arguments.request;
  const tokens = usage ? `${usage.estimated ? t("about ") : ""}${number(usage.promptTokens)} + ${plural(usage.completionTokens, "token")}` : null;
  const head = [t("Request to the model"), tokens, duration(to - from), entry ? size(entry.bytes) : null, entry?.changed ? t("changed before sending") : null, entry && !entry.sent ? t("denied") : null];
  const said = error
    ? [h("p.failure", {}, error.message)]
    : [h("div.message.reply", {}, h("span.role", {}, t("reply")), verbatim(result?.content ?? ""), ...toolCallsOf(result).map(callOf))];
  return h("div.call.llm", {}, headOf(head), h("details", {}, h("summary", {}, entry && !entry.sent ? t("Request that was not sent") : t("Request")), h("div.messages", {}, ...messagesOf(request))), ...said);
}

const toolCallsOf = (result) => (result?.toolCalls ?? result?.tool_calls ?? []).map((call) => call.function ?? call);

function searchCall({ call, from, to }, view) {
  const { chunks, total, degraded } = call.result;
  const { question, query, collection, bucket, ...rest } = call.arguments;
  const head = [call.tool === "search" ? t("Search") : readable(call.tool), plural(total ?? chunks.length, "passage"), duration(to - from), degraded ? t("by words only") : null];
  const where = collection ?? bucket;
  return h("div.call.search", {},
    headOf(head),
    h("p.asked", {}, t`“${question ?? query ?? ""}”`, where ? h("span.hint", {}, t` in ${nameOf(where)}`) : null),
    chunks.length > 0 ? view.places.list(chunks, view) : h("p.hint", {}, t("No passages found.")),
    Object.keys(rest).length > 0 ? h("details.raw", {}, h("summary", {}, t("Search options")), verbatim(JSON.stringify(rest, null, 2))) : null,
  );
}

function toolCall({ call, from, to }) {
  return h("div.call", {},
    headOf([readable(call.tool), duration(to - from), call.error ? t("failed") : null]),
    verbatim(JSON.stringify(call.arguments, null, 2)),
    call.error ? h("p.failure", {}, call.error.message) : verbatim(JSON.stringify(call.result, null, 2)),
  );
}

function waiting({ entry }) {
  const sent = h("details", {}, h("summary", {}, t("Request")), h("div.messages", {}, ...messagesOf(entry.request)));
  return h("div.call.llm", {}, headOf([t("Request to the model"), size(entry.bytes), t("no reply yet")]), sent);
}

/** @param {any[]} parts */
function headOf([title, ...facts]) {
  return h("p.call-head", {}, h("b", {}, title), h("span.hint", {}, facts.filter(Boolean).join(" · ")));
}

const KINDS = { llm: llmCall, search: searchCall, tool: toolCall, wait: waiting };
