// Storage of the library: its place and size, export, import, and deletion.

import { byId } from "../dom.js";
import { download } from "../download.js";
import { KnowledgeBase } from "../vademecum/index.js";
import { untilWritable } from "../read-only.js";
import { sentenceOf } from "../sentences.js";
import { plural, size } from "../format.js";
import { idsIn } from "./add-job.js";
import { coalesce } from "./coalesce.js";
import { confirmed } from "./confirm.js";
import { keptSizes, sweepPdfs } from "./pdf-files.js";
import { bytesOfFiles, bytesOfPage } from "./sizes.js";
import { t } from "../words.js";

/** Larger files would not fit into memory as many times as reading requires. */
const LARGEST = 1e9;
/** The first bytes of an exported library. */
const BEGINNING = "VADEMEC\n";

const KINDS = {
  opfs: t("Stored in this browser, in its file system for this page."),
  indexeddb: t("Stored in this browser, in its database for this page."),
  memory: t("Stored in memory only: it is lost when you leave."),
};

/** @param app what the parts of the page share: see main.js */
export function startStorage(app) {
  const { kb, complain, changed, onProgress, addings, removals } = app;
  const show = coalesce(async () => {
    const [{ library, documents, pending }, files, page, pdfs] = await Promise.all([kb.stats(), bytesOfFiles(), bytesOfPage(), keptSizes()]);
    const { quota, kind, readOnly } = library ?? { quota: null, kind: "memory" };
    const other = readOnly ? t(" Another tab has it open: it is read-only here until that tab is closed.") : "";
    byId("storage-kind").textContent = KINDS[kind] + other;
    showSizes(kind === "opfs" ? files : null, page, quota, pdfs);
    byId("export").disabled = documents === 0;
    byId("delete-all").disabled = readOnly === true || (documents === 0 && (await kb.conversations()).length === 0);
    byId("understand").hidden = pending === 0 || readOnly === true;
    byId("storage-pending").textContent = pending > 0 ? t`${plural(pending, "passage")} without vectors; until then they are found by words only.` : "";
    await showPersisted(kind);
  });
  changed.on(() => show().catch(complain));
  const sweep = coalesce(async () => {
    const { library } = await kb.stats();
    const isOurs = library && library.kind !== "memory" && !library.readOnly; // otherwise it is not known which documents there are
    if (isOurs && (await sweepPdfs(kb))) await show();
  });
  changed.on(({ removed }) => removed && sweep().catch(complain));
  void app.searchable.then(() => untilWritable(kb)).then(sweep).catch(complain); // what an earlier visit left
  byId("library").addEventListener("shown", () => show().catch(complain)); // a conversation may have been stored meanwhile

  function showSizes(files, page, quota, pdfs) {
    const meter = byId("storage-meter");
    meter.hidden = files === null || !(quota > 0);
    if (!meter.hidden) Object.assign(meter, { max: quota, value: files + page, high: 0.9 * quota });
    const kept = pdfs.files > 0 ? t`PDF files, to show their pages, ${size(pdfs.bytes)}` : null;
    const parts = [files === null ? null : t`The library takes ${size(files - pdfs.bytes)}`, kept, page > 0 ? t`files for offline use, ${size(page)}` : null].filter(Boolean);
    const most = quota > 0 ? t` The browser lets this page store up to ${size(quota)}.` : "";
    const without = pdfs.withoutRoom > 0 ? t` There was no room for ${plural(pdfs.withoutRoom, "PDF file")}: the reader shows text instead of pages.` : "";
    byId("storage-used").textContent = (parts.length === 0 ? most.trim() : `${parts.join("; ").replace(/^w/, "W")}.${most}`) + without;
  }

  async function showPersisted(kind) {
    const isKept = kind === "memory" || ((await navigator.storage?.persisted?.()) ?? true);
    byId("persist").hidden = isKept;
    if (isKept && kind !== "memory") byId("persist-told").textContent = t("The browser keeps it even when space runs short.");
  }

  /** Runs a longer operation with its button disabled, and shows the result. */
  async function doing(id, work) {
    const button = byId(id);
    const hadFocus = document.activeElement === button;
    button.disabled = true;
    complain(null);
    byId("storage-told").textContent = ""; // so that the next message is announced even if it is the same
    try {
      await removals.settle();
      byId("storage-told").textContent = (await work()) ?? "";
    } catch (error) {
      if (!app.byWordsOnly(error)) {
        complain(error);
        app.settle(); // the bar shows the final status
      }
    } finally {
      button.disabled = false;
      await show().catch(complain);
      if (hadFocus && [button, document.body, null].includes(document.activeElement)) focusOn(button);
    }
  }

  /** Moves the focus to another storage button if this one is disabled. */
  function focusOn(button) {
    [button, ...document.querySelectorAll(".storage-controls button")].find(({ disabled, hidden }) => !disabled && !hidden)?.focus();
  }

  byId("persist").addEventListener("click", async () => {
    const agreed = await KnowledgeBase.persist().catch(() => false);
    byId("persist-told").textContent = agreed
      ? t("The browser keeps it even when space runs short.")
      : t("The browser refused. It may agree once you have used this page more, or have installed it.");
    if (!agreed) return;
    const hadFocus = document.activeElement === byId("persist");
    byId("persist").hidden = true;
    if (hadFocus) focusOn(byId("persist"));
  });

  byId("export").addEventListener("click", () =>
    doing("export", async () => {
      const bytes = await kb.export();
      download("library.vdm", bytes, "application/octet-stream");
      return t`library.vdm has ${size(bytes.length)}: documents, vectors and settings.`;
    }),
  );

  byId("understand").addEventListener("click", () =>
    doing("understand", async () => {
      const count = await kb.embedPending({ onProgress });
      app.settle();
      changed.value = {};
      return count > 0 ? t`${plural(count, "passage")} understood.` : t("They are being processed already.");
    }),
  );

  const input = byId("import-file");
  byId("import").addEventListener("click", () => input.click());
  input.addEventListener("change", () => {
    const [file] = input.files;
    if (file) void importFile(file);
    input.value = "";
  });
  const importFile = (file) =>
    doing("import", async () => {
      await check(file);
      const onTold = (progress) => (onProgress(progress), (progress.phase === "read" || progress.loaded === 0) && (changed.value = {}));
      try {
        const { documents } = await kb.import(file, { onProgress: onTold });
        app.settle();
        return t`${plural(documents, "document")} imported from ${file.name}.`;
      } catch (error) {
        if (!app.byWordsOnly(error)) throw new Error(sentenceOf(error, { file: file.name }), { cause: error });
        return t`The documents of ${file.name} were imported, but some have no vectors: those are found by words only.`;
      } finally {
        changed.value = { added: [] }; // documents imported before the failure are kept
      }
    });

  byId("delete-all").addEventListener("click", () =>
    doing("delete-all", async () => {
      const [{ documents }, threads] = [await kb.stats(), await kb.conversations()];
      if (!(await confirmed({ title: t("Delete the whole library?"), text: toBeDeleted(documents, threads.length > 0, addings.isBusy()), yes: t("Delete all") }))) return null;
      await app.forgetFolders(null); // before their documents are gone: they would be added again
      const removed = await addings.without(null, deleteAll);
      app.filters.value = null;
      changed.value = { removed, forgotten: true };
      return t`${plural(removed.length, "document")} deleted.${threads.length > 0 ? t(" The conversation was deleted as well.") : ""}`;
    }),
  );

  /** Deletes the documents, and the conversations that quote them. Returns the ids of the documents. */
  async function deleteAll() {
    const removed = [];
    for (const { name } of (await kb.stats()).collections) {
      const ids = [...(await idsIn(kb, name))];
      if (ids.length > 0) await kb.remove(name, ids);
      removed.push(...ids);
    }
    for (const name of await kb.conversations()) await kb.deleteConversation(name);
    return removed;
  }

  byId("add-sample").addEventListener("click", () =>
    doing("add-sample", async () => {
      await app.addSample();
      changed.value = {};
      app.settle();
      return t("The sample is in the library.");
    }),
  );

  return { import: importFile };
}

/** The text of the confirmation. */
function toBeDeleted(documents, hasThread, isAdding) {
  const thread = t("the stored conversation");
  const what = [documents > 0 ? plural(documents, "document") : null, hasThread ? thread : null].filter(Boolean).join(t(" and "));
  const again = documents > 0 ? t(" Your files stay where they are. To keep a copy, export the library first.") : "";
  const adding = isAdding ? t(" Files that are being added are stopped.") : "";
  return t`${(what || t("Everything")).replace(/^t(?=he )/, "T")} will be permanently deleted from this browser.${adding}${again}`;
}

/** Refuses files that are not libraries, or are too large, after reading only their beginning. */
async function check(file) {
  const beginning = await file.slice(0, BEGINNING.length).text();
  if (beginning !== BEGINNING) throw new Error(t`${file.name} is not an exported library, or is damaged. Nothing was changed. Export the library again.`);
  if (file.size > LARGEST) throw new Error(t`${file.name} has ${size(file.size)}; a library of up to ${size(LARGEST)} can be imported. Nothing was changed.`);
}
