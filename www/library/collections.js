// Collections: the target of added files, the list, creation and deletion.

import { byId, h } from "../dom.js";
import { sentenceOf } from "../sentences.js";
import { plural } from "../format.js";
import { idsIn } from "./add-job.js";
import { coalesce } from "./coalesce.js";
import { confirmed } from "./confirm.js";
import { DEFAULT, nameOf } from "./names.js";
import { t } from "../words.js";

const NEW = "\u0000new"; // not a valid collection name

/** @param app what the parts of the page share: see main.js */
export function startCollections({ kb, complain, changed, addings, forgetFolders }) {
  const choice = byId("collection");
  const form = byId("collection-form");
  const made = new Set([DEFAULT]); // shown even while they are empty
  let chosen = DEFAULT;
  let filled = []; // the collections on the page
  let files = new Map(); // the number of files by collection, as far as it is known

  const show = coalesce(async () => {
    const { collections } = await kb.stats();
    const shown = collections.filter(({ name, documents }) => documents > 0 || made.has(name));
    if (!shown.some(({ name }) => name === chosen)) chosen = DEFAULT;
    choice.replaceChildren(...shown.map(({ name }) => h("option", { value: name }, nameOf(name))), h("option", { value: NEW }, t("A new collection…")));
    choice.value = chosen;
    filled = shown.filter(({ documents }) => documents > 0);
    byId("collections").replaceChildren(...filled.map(line));
    byId("collections-empty").hidden = filled.length > 0;
  });

  changed.on(() => show().catch(complain));

  function line({ name, description, documents, language }) {
    const about = [sizeOf(name, documents), language && language !== "other" ? t(language[0].toUpperCase() + language.slice(1)) : null].filter(Boolean).join(", ");
    return h(
      "li",
      {},
      h("div", {}, h("b", {}, nameOf(name)), h("span.hint", {}, about), description ? h("p.hint", {}, description) : null),
      h("button.quiet", { type: "button", ariaLabel: t`Delete the collection ${nameOf(name)}`, onclick: () => remove(name, documents).catch(complain) }, t("Delete")),
    );
  }

  /** Returns how large a collection is: in files, if there are any, and in documents, if these are not as many, such as the rows of a table. */
  function sizeOf(name, documents) {
    const count = files.get(name) ?? 0;
    return [count > 0 && plural(count, "file"), count !== documents && plural(documents, "document")].filter(Boolean).join(", ");
  }

  async function remove(name, count) {
    const title = t`Delete “${nameOf(name)}”?`;
    const adding = addings.isBusy(name) ? t(" Files that are being added to it are stopped.") : "";
    const text = t`${plural(count, "document")} will be deleted from this browser. Your files stay where they are.${adding}`;
    if (!(await confirmed({ title, text, yes: t("Delete") }))) return;
    await forgetFolders(name); // before its documents are gone: they would be added again
    const ids = await addings.without(name, async () => {
      const all = [...(await idsIn(kb, name))];
      await kb.remove(name, all);
      return all;
    });
    if (name !== DEFAULT) made.delete(name);
    changed.value = { removed: ids };
    choice.focus(); // the button that had the focus is gone
  }

  choice.addEventListener("change", () => {
    if (choice.value !== NEW) return void (chosen = choice.value);
    choice.value = chosen;
    form.hidden = false;
    byId("collection-name").focus();
  });
  const close = () => {
    form.hidden = true;
    form.reset();
    told(null);
    choice.focus();
  };
  const told = (message) => {
    byId("collection-notice").textContent = message ?? "";
    byId("collection-notice").hidden = message === null;
  };
  byId("collection-cancel").addEventListener("click", close);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const name = byId("collection-name").value.trim();
    const description = byId("collection-description").value.trim();
    const language = byId("collection-language").value;
    try {
      const same = await namedSo(name);
      if (same) return told(t`A collection named “${same}” already exists. Select it as the target for files, or choose another name.`);
      await kb.collection(name, { ...(description && { description }), ...(language && { language }) });
    } catch (error) {
      return told(/[\p{L}\p{N}]/u.test(name) ? sentenceOf(error) : t("Give it a name with at least one letter or digit."));
    }
    made.add(name);
    chosen = name;
    close();
    await show().catch(complain);
  });

  /** Returns the shown name of an existing collection of this name. Deleted collections stay declared but empty, and can be created again. */
  async function namedSo(name) {
    const { collections } = await kb.stats();
    const shown = collections.filter((one) => one.documents > 0 || made.has(one.name)).flatMap((one) => [one.name, nameOf(one.name)]);
    const same = shown.find((one) => one.toLowerCase() === name.toLowerCase());
    return same && nameOf(same);
  }

  return {
    /** The collection that files are added to. */
    chosen: () => chosen,
    /** Shows the numbers of files, which are known once the documents are listed. @param {Map<string, number>} counted by collection */
    countFiles(counted) {
      if (filled.every(({ name }) => counted.get(name) === files.get(name))) return;
      files = counted;
      void show().catch(complain);
    },
  };
}
