// Folders that are kept in sync, where the browser can: each with its state, what is gone of it, and a way to grant permission again.

import { byId, h } from "../dom.js";
import { number, plural } from "../format.js";
import { allDocuments } from "../list-documents.js";
import { isReadOnly, untilWritable } from "../read-only.js";
import { PATH } from "./filter-words.js";
import { forgetFolder, rootOf, storedFolders, storeFolder, updateFolder } from "./folder-store.js";
import { synced } from "./folder-sync.js";
import { nameOf } from "./names.js";
import { t } from "../words.js";

/** Maximum number of names of files that are gone. */
const MOST_NAMED = 200;
/** Paths that are looked up in the library at once. */
const PATHS_AT_ONCE = 500;

const READ_ONLY = t("Another tab has the library open. This folder is brought up to date when that tab is closed.");

/**
 * @param app what the parts of the page share: see main.js
 * @param {{ add: (files: any[], collection: string, options: any) => Promise<any[]>, chosen: () => string }} files `add` adds files and returns them with their states, `chosen` is the collection that files are added to
 */
export function startFolders({ kb, complain, removals, searchable }, { add, chosen }) {
  const list = byId("folders");
  const lines = new Map(); // by the folder's id
  const pick = byId("sync-folder");
  pick.hidden = !("showDirectoryPicker" in globalThis);

  pick.addEventListener("click", async () => {
    try {
      const handle = await Reflect.get(globalThis, "showDirectoryPicker").call(globalThis, { mode: "read" });
      const known = await sameOf(handle);
      if (known) return void (await known.sync());
      const collection = chosen();
      const root = rootOf(handle.name, collection, await storedFolders());
      const folder = { id: crypto.randomUUID(), name: handle.name, root, collection, handle, files: {}, synced: null };
      await storeFolder(folder);
      await lineOf(folder).sync();
    } catch (error) {
      if (error.name !== "AbortError") complain(error); // the user closed the dialog
    }
  });

  /** Returns the line of a folder that is kept in sync already. */
  async function sameOf(handle) {
    for (const line of lines.values()) if (await line.folder.handle.isSameEntry(handle)) return line;
    return null;
  }

  void searchable.then(async () => {
    const isWaiting = await isReadOnly(kb);
    for (const folder of await storedFolders()) {
      const line = lineOf(folder);
      if (isWaiting) line.show(READ_ONLY);
      else void line.visit();
    }
    if (!isWaiting) return;
    await untilWritable(kb);
    // The other tab may have read files, forgotten folders, or have begun with others.
    for (const { remove } of [...lines.values()]) remove();
    for (const folder of await storedFolders()) void lineOf(folder).visit();
  });

  function lineOf(folder) {
    const shownName = folder.root ?? folder.name;
    const said = h("p.hint", { role: "status" });
    const actions = h("span.folder-actions");
    const gone = h("div.folder-gone", { hidden: true });
    const element = h("li", {}, h("div.folder-head", {}, h("div", {}, h("b", {}, shownName), h("span.hint", {}, t` into ${nameOf(folder.collection)}`), said), actions), gone);
    list.append(element);
    let running = null;
    let isChecked = false; // whether the library was found to have what is known of the folder

    const button = (name, label, onclick) => h("button.quiet", { type: "button", ariaLabel: `${label}: ${shownName}`, onclick }, name);
    const rest = () => [button(t("Sync now"), t("Sync now"), () => sync()), button(t("Stop keeping it in sync"), t("Stop keeping in sync"), forget)];
    function show(text, ...buttons) {
      said.textContent = text;
      const had = actions.contains(document.activeElement);
      actions.replaceChildren(...buttons);
      if (had) actions.querySelector("button")?.focus();
    }

    /** Syncs at a visit, if permission is still granted; a browser asks for it only after a press of a button. */
    async function visit() {
      const permission = await permissionOf(folder.handle);
      if (permission === "granted") return sync();
      askAgain();
    }

    function askAgain() {
      show(t("This browser no longer lets the page read this folder. Its documents stay in the library."), button(t("Allow again"), t("Allow again"), allow), ...rest().slice(1));
    }

    async function allow() {
      try {
        if ((await Reflect.get(folder.handle, "requestPermission").call(folder.handle, { mode: "read" })) === "granted") await sync();
        else askAgain();
      } catch (error) {
        complain(error);
      }
    }

    async function sync() {
      if (running) return;
      running = new AbortController();
      const stop = button(t("Stop"), t("Stop"), () => running?.abort());
      show(t("Looking for changes…"), stop);
      try {
        if (await isReadOnly(kb)) return show(READ_ONLY, ...rest());
        if ((await permissionOf(folder.handle)) !== "granted") return askAgain();
        // The library may have been deleted, or replaced, since the last visit.
        if (!isChecked && !(await hasAny(kb, folder))) folder.files = {};
        isChecked = true;
        const onFound = (count) => count % 100 === 0 && (said.textContent = t`Looking for changes: ${number(count)} files so far`);
        const outcome = await synced(folder, { signal: running.signal, onFound, add });
        show(sentenceOn(outcome), ...rest());
        showGone(outcome.gone);
      } catch (error) {
        if (running.signal.aborted) show(t("Stopped. Nothing was changed."), ...rest());
        else if (error.name === "NotAllowedError") askAgain();
        else if (error.name === "NotFoundError") show(t("This folder is not there any more: it may have been moved, or its disk is not connected. Its documents stay in the library."), ...rest());
        else show(t`It could not be read (${error.message}). Its documents stay in the library.`, ...rest());
      } finally {
        running = null;
      }
    }

    function showGone(paths) {
      gone.hidden = paths.length === 0;
      if (paths.length === 0) return gone.replaceChildren();
      const names = paths.slice(0, MOST_NAMED).map((path) => h("li", {}, path));
      if (paths.length > MOST_NAMED) names.push(h("li", {}, t`and ${number(paths.length - MOST_NAMED)} more`));
      const what = paths.length === 1 ? t("1 file is not in the folder any more.") : t`${number(paths.length)} files are not in the folder any more.`;
      gone.replaceChildren(
        h("details", { open: paths.length <= 5 }, h("summary", {}, what), h("ul", {}, ...names)),
        h("span.folder-actions", {}, button(t("Remove from the library"), t("Remove from the library what is gone"), () => removeGone(paths).catch(complain)), button(t("Keep"), t("Keep what is gone"), () => keep(paths).catch(complain))),
      );
    }

    async function removeGone(paths) {
      const all = new Set(paths);
      const documents = await allDocuments(kb, { collections: [folder.collection] });
      const gone = documents.filter(({ id, metadata }) => all.has(id) || all.has(metadata.path));
      await removals.remove(gone.map(({ id }) => ({ collection: folder.collection, id })), t`${plural(paths.length, "file")} of ${shownName}`);
      await keep(paths);
    }

    /** Forgets that files were there: their documents are like any others. */
    async function keep(paths) {
      for (const path of paths) delete folder.files[path];
      await updateFolder(folder);
      showGone([]);
      actions.querySelector("button")?.focus();
    }

    async function forget() {
      await drop();
      pick.focus();
    }

    /** Ends keeping it in sync. Its documents stay. */
    async function drop() {
      running?.abort();
      await forgetFolder(folder.id).catch(complain);
      remove();
    }

    function remove() {
      lines.delete(folder.id);
      element.remove();
    }

    show(folder.synced === null ? "" : t("Waiting…"), ...rest());
    const line = { folder, show: (text) => show(text, ...rest()), sync, visit, drop, remove };
    lines.set(folder.id, line);
    return line;
  }

  return {
    /** Forgets the folders of a collection, or all for null: the library would be filled again from them. */
    async forget(collection) {
      if (await isReadOnly(kb)) return; // nothing will be deleted
      await Promise.all([...lines.values()].filter(({ folder }) => collection === null || folder.collection === collection).map(({ drop }) => drop()));
    },
  };
}

/** Returns whether a document of a folder's files is in the library. */
async function hasAny(kb, { collection, files }) {
  const paths = Object.keys(files);
  for (let at = 0; at < paths.length; at += PATHS_AT_ONCE) {
    const filters = [{ field: PATH, operator: "in", value: paths.slice(at, at + PATHS_AT_ONCE) }];
    const { total } = await kb.documents({ collections: [collection], filters, limit: 1 }).catch((error) => {
      if (["unknown_field", "unknown_collection"].includes(error.code)) return { total: 0 }; // nothing was ever added
      throw error;
    });
    if (total > 0) return true;
  }
  return false;
}

/** Returns whether a folder may be read: `granted`, `prompt` or `denied`. */
async function permissionOf(handle) {
  return (await handle.queryPermission?.({ mode: "read" })) ?? "granted";
}

function sentenceOn({ added, same, failed, isStopped }) {
  const parts = [added > 0 && t`${plural(added, "file")} added or changed`, failed > 0 && t`${number(failed)} could not be added`, same > 0 && t`${number(same)} unchanged`].filter(Boolean);
  return `${isStopped ? t("Stopped: ") : t("In sync: ")}${parts.join(", ") || t("no files that can be read")}.`;
}
