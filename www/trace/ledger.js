// What left the device: every request, its target, size and quoted passages, and whether it was sent.

import { h } from "../dom.js";
import { messagesOf } from "./messages.js";
import { number, plural, size } from "../format.js";
import { duration, readable } from "./format.js";
import { t } from "../words.js";

export const entriesOf = ({ events, result }) => result?.ledger ?? events.filter(({ type }) => type === "send").map(({ entry }) => entry);

/** @param view `{ places, open, kept }` */
export function ledgerOf(record, view) {
  const { model } = record;
  const entries = entriesOf(record);
  const items = entries.map((entry) => {
    const state = !entry.sent ? t("denied") : entry.changed ? t("sent, changed") : t("sent");
    return h("details.entry", {},
      h("summary", {},
        h(`span.badge.${entry.sent ? "covered" : "gap"}`, {}, state),
        h("b", {}, readable(entry.step)),
        h("span.hint", {}, t`at ${duration(entry.at)} · ${size(entry.bytes)} · ${plural(entry.sources.length, "passage")}${model ? t` · to ${model.where}` : ""}`),
      ),
      entry.reason ? h("p.failure", {}, t`It was not sent: ${entry.reason}.`) : null,
      entry.sources.length > 0 ? h("div", {}, h("p.hint", {}, t("Passages that it contains:")), view.places.list(entry.sources.map(({ chunkId }) => chunkId), view)) : h("p.hint", {}, t("It quotes no document.")),
      h("div.messages", {}, ...messagesOf(entry.request)),
    );
  });
  return [h("p", {}, toldOf(record, entries)), h("p.hint", {}, t("This run only. The Evaluate tab lists its own requests.")), ...items];
}

/** Counts requests, bytes and quoted documents. */
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

/** The same counts as text. */
export function toldOf({ model, state }, entries) {
  if (!model) return t("Nothing. No model was in use: searching and quoting run on this device.");
  if (entries.length === 0) return state === "running" ? t("Nothing so far.") : t("Nothing: no model was called.");
  const { requests, bytes, passages, documents, denied } = countOf(entries);
  const [found, from] = [plural(passages, "passage"), plural(documents, "document")];
  const held = passages === 0
    ? requests === 1 ? t("It contained no passage.") : t("They contained no passage.")
    : requests === 1 ? t`It contained ${found} of ${from}.` : t`They contained ${found} of ${from}.`;
  const kept = denied === 0 ? "" : denied === 1 ? t(" 1 more was denied.") : t` ${number(denied)} more were denied.`;
  if (requests === 0) return denied === 1 ? t("Nothing: 1 request was denied.") : t`Nothing: ${number(denied)} requests were denied.`;
  if (!model.isElsewhere) return t`Nothing. ${plural(requests, "request")} went to ${model.name}, which is on this device. ${held}${kept}`;
  return t`${plural(requests, "request")}, ${size(bytes)}, to ${model.where}. ${held}${kept}`;
}
