// Where the library is kept and how much room it takes; out of this browser into a file, and back; and all of it gone.

import { byId } from "../dom.js";
import { download } from "../download.js";
import { KnowledgeBase } from "../vademecum/index.js";
import { sentenceOf } from "../sentences.js";
import { plural, size } from "../words.js";
import { idsIn } from "./adding.js";
import { coalesced } from "./coalesced.js";
import { confirmed } from "./confirm.js";
import { bytesOfFiles, bytesOfPage } from "./sizes.js";

/** A larger one could not be in memory as often as reading it takes. */
const LARGEST = 1e9;
/** What an exported library begins with. */
const BEGINNING = "VADEMEC\n";

const KINDS = {
  opfs: "Kept in this browser, in its file system for this page.",
  indexeddb: "Kept in this browser, in its database for this page.",
  memory: "Kept in memory only: it is gone when you leave.",
};

/** @param app what the parts of the page share: see main.js */
export function startStorage(app) {
  const { kb, complain, changed, onProgress, addings, removals } = app;
  const show = coalesced(async () => {
    const [{ library, documents, pending }, files, page] = await Promise.all([kb.stats(), bytesOfFiles(), bytesOfPage()]);
    const { quota, kind, readOnly } = library ?? { quota: null, kind: "memory" };
    const other = readOnly ? " Another tab has it open: here it can be read, and written once that tab is closed." : "";
    byId("storage-kind").textContent = KINDS[kind] + other;
    showSizes(kind === "opfs" ? files : null, page, quota);
    byId("export").disabled = documents === 0;
    byId("delete-all").disabled = documents === 0 && (await kb.conversations()).length === 0;
    byId("understand").hidden = pending === 0;
    byId("storage-pending").textContent = pending > 0 ? `${plural(pending, "passage")} still to be understood; until then they are found by words.` : "";
    await showPersisted(kind);
  });
  changed.on(() => show().catch(complain));
  byId("library").addEventListener("shown", () => show().catch(complain)); // a thread may have begun to be kept meanwhile

  function showSizes(files, page, quota) {
    const meter = byId("storage-meter");
    meter.hidden = files === null || !(quota > 0);
    if (!meter.hidden) Object.assign(meter, { max: quota, value: files + page, high: 0.9 * quota });
    const parts = [files === null ? null : `The library takes ${size(files)}`, page > 0 ? `what is kept of the page for use offline, ${size(page)}` : null].filter(Boolean);
    const most = quota > 0 ? ` The browser lets this page keep up to ${size(quota)}.` : "";
    byId("storage-used").textContent = parts.length === 0 ? most.trim() : `${parts.join("; ").replace(/^w/, "W")}.${most}`;
  }

  async function showPersisted(kind) {
    const isKept = kind === "memory" || ((await navigator.storage?.persisted?.()) ?? true);
    byId("persist").hidden = isKept;
    if (isKept && kind !== "memory") byId("persist-told").textContent = "The browser keeps it also when space runs short.";
  }

  /** Does something that takes a while, with its button out of reach; says what came of it. */
  async function doing(id, work) {
    const button = byId(id);
    const hadFocus = document.activeElement === button;
    button.disabled = true;
    complain(null);
    byId("storage-told").textContent = ""; // what is said next is new, also where it is the same again
    try {
      await removals.settle();
      byId("storage-told").textContent = (await work()) ?? "";
    } catch (error) {
      if (!app.byWordsOnly(error)) {
        complain(error);
        app.settle(); // what it told of its progress is over
      }
    } finally {
      button.disabled = false;
      await show().catch(complain);
      if (hadFocus && [button, document.body, null].includes(document.activeElement)) focusOn(button);
    }
  }

  /** A button, or another one of the storage's where it is out of reach. */
  function focusOn(button) {
    [button, ...document.querySelectorAll(".storage-controls button")].find(({ disabled, hidden }) => !disabled && !hidden)?.focus();
  }

  byId("persist").addEventListener("click", async () => {
    const agreed = await KnowledgeBase.persist().catch(() => false);
    byId("persist-told").textContent = agreed
      ? "The browser keeps it also when space runs short."
      : "The browser does not promise it. It may agree once you have used this page more, or have installed it.";
    if (!agreed) return;
    const hadFocus = document.activeElement === byId("persist");
    byId("persist").hidden = true;
    if (hadFocus) focusOn(byId("persist"));
  });

  byId("export").addEventListener("click", () =>
    doing("export", async () => {
      const bytes = await kb.export();
      download("library.vdm", bytes, "application/octet-stream");
      return `library.vdm has ${size(bytes.length)}: documents, vectors and all.`;
    }),
  );

  byId("understand").addEventListener("click", () =>
    doing("understand", async () => {
      const count = await kb.embedPending({ onProgress });
      app.settle();
      changed.value = {};
      return count > 0 ? `${plural(count, "passage")} understood.` : "Others are at work on them already.";
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
      const onTold = (progress) => (onProgress(progress), progress.loaded === 0 && (changed.value = {}));
      try {
        const { documents } = await kb.import(file, { onProgress: onTold });
        app.settle();
        return `${plural(documents, "document")} came out of ${file.name}.`;
      } catch (error) {
        if (!app.byWordsOnly(error)) throw new Error(sentenceOf(error, { file: file.name }), { cause: error });
        return `The documents of ${file.name} are in the library, but not all of them are understood: those are found by words.`;
      } finally {
        changed.value = { added: [] }; // what came in before something failed is here
      }
    });

  byId("delete-all").addEventListener("click", () =>
    doing("delete-all", async () => {
      const [{ documents }, threads] = [await kb.stats(), await kb.conversations()];
      if (!(await confirmed({ title: "Delete the whole library?", text: toBeDeleted(documents, threads.length > 0, addings.isBusy()), yes: "Delete all" }))) return null;
      const removed = await addings.without(null, deleteAll);
      app.filters.value = null;
      changed.value = { removed, forgotten: true };
      return `${plural(removed.length, "document")} deleted.${threads.length > 0 ? " The thread of questions and answers is gone as well." : ""}`;
    }),
  );

  /** The documents, and the conversations that quote them. Gives the ids of the documents. */
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
      await app.addSample({ again: true });
      changed.value = {};
      app.settle();
      return "The sample is in the library.";
    }),
  );

  return { import: importFile };
}

/** What the question before says. */
function toBeDeleted(documents, hasThread, isAdding) {
  const thread = "the kept thread of questions and answers";
  const what = [documents > 0 ? plural(documents, "document") : null, hasThread ? thread : null].filter(Boolean).join(" and ");
  const again = documents > 0 ? " Your files stay where they are. To have the documents again, export the library first." : "";
  const adding = isAdding ? " What is being added is stopped." : "";
  return `${(what || "Everything").replace(/^t/, "T")} will be deleted from this browser, for good.${adding}${again}`;
}

/** Refuses what is no library, or too large to be read, before any more of it than its beginning gets into memory. */
async function check(file) {
  const beginning = await file.slice(0, BEGINNING.length).text();
  if (beginning !== BEGINNING) throw new Error(`${file.name} is no library that was exported here, or it is damaged. Nothing was changed. Export the library again where it is.`);
  if (file.size > LARGEST) throw new Error(`${file.name} has ${size(file.size)}; a library of up to ${size(LARGEST)} can be imported. Nothing was changed.`);
}
