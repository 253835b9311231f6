// The library: joins its parts, and takes the files that come, dropped anywhere on the page or picked.

import { byId } from "../dom.js";
import { plural } from "../words.js";
import { Adding } from "./adding.js";
import { coalesced } from "./coalesced.js";
import { startCollections } from "./collections.js";
import { startDocuments } from "./documents.js";
import { startFacets } from "./facets.js";
import { dropped, picked } from "./files.js";
import { startMap } from "./map.js";
import { ACCEPTED, isReadable } from "./readers/index.js";
import { Report } from "./reports.js";
import { startStorage } from "./storage.js";

/** Among more files than this, those that cannot be read are passed over; each of a few is told of. */
const FEW = 30;
const LIBRARY_FILE = /\.vdm$/i;

/** @param app what the parts of the page share: see main.js */
export function startLibrary(app) {
  const { kb, complain, changed, goTo } = app;
  const collections = startCollections(app);
  const documents = startDocuments(app);
  startFacets(app);
  startMap(app);
  const storage = startStorage(app);
  let last = Promise.resolve(); // what is being read goes before what comes later
  let reading = 0; // addings whose files are not all read: they are gone when the tab is

  const show = coalesced(async () => {
    const { documents: count, chunks } = await kb.stats();
    byId("library-size").textContent = count === 0 ? "empty" : `${plural(count, "document")}, ${plural(chunks, "passage")}`;
  });
  changed.on(() => show().catch(complain));

  /** @param files `{ path, file, encoding? }` each, or `{ path, error }` of one that cannot be had */
  async function add(files) {
    const isLibrary = ({ path, file }) => file && LIBRARY_FILE.test(path);
    for (const { file } of files.filter(isLibrary)) await storage.import(file);
    const rest = files.filter((one) => !isLibrary(one));
    if (rest.length === 0) return;
    const reports = byId("file-reports");
    for (const old of [...reports.children]) if (old.dataset.state === "done") old.remove();
    let report = null;
    const adding = new Adding({
      kb,
      collection: collections.chosen(),
      files: rest,
      onChange: () => report?.later(),
      onIn: (ids) => (changed.value = { added: ids }),
    });
    if (rest.length > FEW) for (const item of adding.items) if (item.file && !isReadable(item.path)) item.state = "passed";
    report = new Report(adding, add);
    reports.append(report.element);
    reading += 1;
    last = last.then(() => adding.read());
    await last;
    reading -= 1;
    await adding.understand();
    report.draw();
    changed.value = {};
  }

  window.addEventListener("beforeunload", (event) => reading > 0 && event.preventDefault());
  listen(add, { complain, goTo });
  return { documents };
}

function listen(add, { complain, goTo }) {
  const take = (files) => Promise.resolve(files).then(add).catch(complain);
  for (const [button, field] of [["pick-files", "files"], ["pick-folder", "folder"]]) {
    const input = byId(field);
    byId(button).addEventListener("click", () => input.click());
    input.addEventListener("change", () => {
      const files = picked(input);
      input.value = "";
      if (files.length === 0) return complain({ message: "There is nothing in this folder that could be added." });
      complain(null);
      take(files);
    });
  }
  byId("files").accept = `${ACCEPTED},.vdm`;

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
    goTo("library"); // where it can be seen what becomes of them
    take(dropped(event.dataTransfer));
  });
}
