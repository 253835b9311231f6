// Asks the user before anything is sent: shows the request, its target, and the documents that it quotes.

import { byId, h } from "../dom.js";
import { observable } from "../observable.js";
import { remember, remembered } from "../remember.js";
import { plural } from "../format.js";
import { messagesOf } from "./messages.js";
import { ChunkLinks } from "./chunk-links.js";
import { t } from "../words.js";

const dialog = byId("veto");

/**
 * `{ isOn, ask(record, payload, context), of(model) }`: `ask` returns what may be sent, or throws the reason for the ledger; `of` returns
 * an `onBeforeSend` for work outside the Ask tab. "Allow all" applies to that work, or to that run.
 */
export function startVeto(kb) {
  const places = new ChunkLinks(kb);
  const isOn = observable(remembered("veto", false) === true);
  isOn.on((is) => remember("veto", is));
  const trusted = new WeakSet(); // runs for which everything may be sent
  let last = Promise.resolve(); // one question at a time

  for (const button of dialog.querySelectorAll("button[value]")) button.addEventListener("click", () => dialog.close(button.value));

  const ask = (record, payload, context) => {
    const mine = last.then(() => decide(record, payload, context));
    last = mine.catch(() => {});
    return mine;
  };

  async function decide(record, payload, context) {
    if (!isOn.value || trusted.has(record)) return payload;
    const said = context.signal.aborted ? "deny" : await answerTo(record, payload, context);
    if (said === "all") trusted.add(record);
    if (said !== "all" && said !== "allow") throw new Error(t("you did not allow it"));
    return payload;
  }

  function answerTo({ model }, payload, { step, sources, signal }) {
    const bytes = new TextEncoder().encode(JSON.stringify(payload)).length;
    byId("veto-where").textContent = t`The step “${step}” would send ${plural(bytes, "byte")} to ${model.isElsewhere ? model.where : t`${model.name}, which is on this device`}.`;
    byId("veto-sources").replaceChildren(quoted(sources, places));
    byId("veto-payload").replaceChildren(...messagesOf(payload));
    byId("veto-payload").scrollTop = 0;
    dialog.returnValue = "deny"; // also the result of the Escape key
    return new Promise((resolve) => {
      const leave = () => dialog.close("deny");
      signal.addEventListener("abort", leave, { once: true });
      const closed = () => {
        signal.removeEventListener("abort", leave);
        resolve(dialog.returnValue);
      };
      dialog.addEventListener("close", closed, { once: true });
      dialog.showModal();
      byId("veto-deny").focus();
    });
  }

  const of = ({ name, where = name, isElsewhere = false }) => {
    const work = { model: { name, where, isElsewhere } };
    return (payload, context) => ask(work, payload, context);
  };

  return { isOn, ask, of };
}

function quoted(sources, places) {
  if (sources.length === 0) return h("p.hint", {}, t("It quotes no document."));
  const documents = new Map();
  for (const source of sources) {
    const key = JSON.stringify([source.collection, source.docId]);
    documents.set(key, [...(documents.get(key) ?? []), source]);
  }
  const items = [...documents.values()].map((chunks) => {
    const name = h("b", {}, chunks[0].docId);
    places.find(chunks[0].chunkId).then((place) => place?.title && (name.textContent = place.title), () => {});
    return h("li", {}, name, ` ${plural(chunks.length, "passage")}`);
  });
  return h("div", {}, h("p", {}, t`It quotes ${plural(items.length, "document")}:`), h("ul", { tabIndex: 0 }, ...items)); // a long list scrolls
}
