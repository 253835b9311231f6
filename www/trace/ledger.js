// What left the device: every request, where to, how large, what of the documents stood in it, and whether it was let go.

import { h } from "../dom.js";
import { messagesOf } from "./messages.js";
import { number, plural, size } from "../words.js";
import { duration, readable } from "./words.js";

export const entriesOf = ({ events, result }) => result?.ledger ?? events.filter(({ type }) => type === "send").map(({ entry }) => entry);

/** @param view `{ places, open, kept }` */
export function ledgerOf(record, view) {
  const { model } = record;
  const entries = entriesOf(record);
  const items = entries.map((entry) => {
    const state = !entry.sent ? "kept back" : entry.changed ? "sent, changed" : "sent";
    return h("details.entry", {},
      h("summary", {},
        h(`span.badge.${entry.sent ? "covered" : "gap"}`, {}, state),
        h("b", {}, readable(entry.step)),
        h("span.hint", {}, `at ${duration(entry.at)} · ${size(entry.bytes)} · ${plural(entry.sources.length, "passage")}${model ? ` · to ${model.where}` : ""}`),
      ),
      entry.reason ? h("p.failure", {}, `It was not sent: ${entry.reason}.`) : null,
      entry.sources.length > 0 ? h("div", {}, h("p.hint", {}, "Passages that stand in it:"), view.places.list(entry.sources.map(({ chunkId }) => chunkId), view)) : h("p.hint", {}, "It quotes no document."),
      h("div.messages", {}, ...messagesOf(entry.request)),
    );
  });
  return [h("p", {}, toldOf(record, entries)), h("p.hint", {}, "Of this run alone. Evaluate tells by itself what it sent."), ...items];
}

/** How much was let go of these requests, and what of the documents stood in it. */
export function countOf(entries) {
  const sent = entries.filter((entry) => entry.sent);
  const sources = sent.flatMap((entry) => entry.sources);
  return {
    requests: sent.length,
    bytes: sent.reduce((sum, entry) => sum + entry.bytes, 0),
    passages: new Set(sources.map(({ chunkId }) => chunkId)).size,
    documents: new Set(sources.map(({ collection, docId }) => JSON.stringify([collection, docId]))).size,
    denied: entries.length - sent.length,
  };
}

/** The same in sentences. */
export function toldOf({ model, state }, entries) {
  if (!model) return "Nothing. No model was in use: searching and quoting happen on this device.";
  if (entries.length === 0) return state === "running" ? "Nothing so far." : "Nothing: no model was asked.";
  const { requests, bytes, passages, documents, denied } = countOf(entries);
  const them = requests === 1 ? "it" : "them";
  const held = passages === 0 ? `No passage stood in ${them}.` : `In ${them} stood ${plural(passages, "passage")} of ${plural(documents, "document")}.`;
  const kept = denied > 0 ? ` ${number(denied)} more ${denied === 1 ? "was" : "were"} kept back.` : "";
  if (requests === 0) return `Nothing: ${plural(denied, "request")} ${denied === 1 ? "was" : "were"} kept back.`;
  if (!model.isElsewhere) return `Nothing. ${plural(requests, "request")} went to ${model.name}, which is on this device. ${held}${kept}`;
  return `${plural(requests, "request")}, ${size(bytes)}, to ${model.where}. ${held}${kept}`;
}
