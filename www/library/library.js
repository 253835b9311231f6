// The Library tab: joins its parts, and takes files that are dropped anywhere on the page or picked.

import { byId } from "../dom.js";
import { plural } from "../format.js";
import { complainIn } from "../notice.js";
import { isReadOnly, untilWritable } from "../read-only.js";
import { AddJobs } from "./add-jobs.js";
import { startCollections } from "./collections.js";
import { startDocuments } from "./documents.js";
import { startFacets } from "./facets.js";
import { dropped, picked } from "./files.js";
import { startFolders } from "./folders.js";
import { startMap } from "./map.js";
import { startPaste } from "./paste.js";
import { ACCEPTED } from "./readers/index.js";
import { Removals } from "./removals.js";
import { startStorage } from "./storage.js";
import { keepUnread, takeUnread } from "./unread.js";
import { t } from "../words.js";

const LIBRARY_FILE = /\.vdm$/i;

/** @param app what the parts of the page share: see main.js */
export function startLibrary(page) {
  const { kb, changed, goTo, onProgress, during } = page;
  const complain = complainIn("library");
  const removals = new Removals({
    kb,
    complain: page.complain, // the error may belong to a tab that is not shown
    tell: (ids) => (changed.value = ids.length > 0 ? { removed: ids } : {}),
    say: (text) => (byId("documents-said").textContent = text),
  });
  const addings = new AddJobs({ kb, changed, onProgress, during, removals, place: byId("file-reports") });
  const forgetFolders = (collection) => folders.forget(collection);
  const app = { ...page, complain, addings, removals, forgetFolders };
  const collections = startCollections(app);
  startDocuments({ ...app, countFiles: collections.countFiles });
  startFacets(app);
  startMap(app);
  const storage = startStorage(app);

  /** @param files `{ path, file }` each, or `{ path, error }` for one that cannot be accessed */
  async function add(files) {
    const isLibrary = ({ path, file }) => file && LIBRARY_FILE.test(path);
    for (const { file } of files.filter(isLibrary)) await storage.import(file);
    const rest = files.filter((one) => !isLibrary(one));
    if (rest.length > 0) await addings.add(rest, collections.chosen());
  }

  const folders = startFolders(app, { add: (files, collection, options) => addings.add(files, collection, { ...options, isSynced: true }), chosen: collections.chosen });
  const isTaken = (path) => kb.document(collections.chosen(), path).then(() => true, () => false);
  startPaste({ add: (files) => add(files).catch(complain), isTaken });

  // Other operations on the library must not see removed documents.
  for (const panel of document.querySelectorAll('[role="tabpanel"]:not(#library)')) panel.addEventListener("shown", () => removals.settle());
  window.addEventListener("pagehide", () => {
    void removals.settle();
    keepUnread(addings.unread);
  });
  window.addEventListener("beforeunload", (event) => addings.isReading && event.preventDefault());
  listen(add, { complain, goTo });
  const unread = takeUnread();
  if (unread > 0) page.complain({ message: t`Adding files was interrupted when the page was left: ${plural(unread, "file")} not added. Add them again.` });
  whileTaken(kb).catch(complain);
}

/** Controls of what changes the library. Those of single documents and collections are hidden by library.css. */
const CHANGING = ["pick-files", "pick-folder", "sync-folder", "paste-text", "collection", "import", "add-sample"];

/** Says that another tab writes the library, and disables what would change it, until that tab is closed. */
async function whileTaken(kb) {
  if (!(await isReadOnly(kb))) return;
  const mark = (is) => {
    byId("library-taken").hidden = !is;
    byId("library").toggleAttribute("data-taken", is);
    for (const id of CHANGING) byId(id).disabled = is;
  };
  mark(true);
  await untilWritable(kb);
  mark(false);
}

function listen(add, { complain, goTo }) {
  const take = async (coming) => {
    try {
      const files = await coming;
      complain(files.length > 0 ? null : { message: t("This folder contains no files that can be added.") });
      if (files.length > 0) await add(files);
    } catch (error) {
      complain(error);
    }
  };
  for (const [button, field] of [["pick-files", "files"], ["pick-folder", "folder"]]) {
    const input = byId(field);
    byId(button).addEventListener("click", () => input.click());
    input.addEventListener("change", () => {
      const files = picked(input);
      input.value = "";
      void take(files);
    });
  }
  byId("files").accept = `${ACCEPTED},.vdm`;

  const takeDropped = (transfer) => {
    goTo("library"); // shows the progress
    void take(dropped(transfer));
  };
  const drop = byId("drop");
  const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
  document.addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    drop.hidden = false;
  });
  document.addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) drop.hidden = true;
  });
  document.addEventListener("drop", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    drop.hidden = true;
    takeDropped(event.dataTransfer);
  });
  document.dispatchEvent(new CustomEvent("takesfiles", { detail: takeDropped })); // requests earlier drops from boot.js
}
