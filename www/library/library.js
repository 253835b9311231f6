// The library: the sample, the user's own files, what is in it and how far the indexing is.

import { byId, h } from "../dom.js";

const READABLE = /\.(md|markdown|txt|text|html?)$/i;
const LARGEST = 16 * 1024 * 1024;

/** @param app what the parts of the page share: see main.js */
export function startLibrary({ kb, open, complain, changed }) {
  changed.on(() => show().catch(complain));

  async function show() {
    const [{ documents: count, chunks }, list] = await Promise.all([kb.stats(), kb.documents({ limit: 1000 })]);
    byId("library-size").textContent = count === 0 ? "empty" : `${plural(count, "document")}, ${plural(chunks, "passage")}`;
    byId("documents").replaceChildren(
      ...list.documents.map(({ id, collection, title }) =>
        h(
          "li",
          {},
          h("button.title", { type: "button", title: title ?? id, onclick: () => open({ collection, docId: id }) }, title ?? id),
          h("button.remove.quiet", { type: "button", ariaLabel: `Remove ${title ?? id}`, onclick: () => remove(collection, id).catch(complain) }, "Remove"),
        ),
      ),
    );
  }

  async function remove(collection, id) {
    await kb.remove(collection, [id]);
    changed.value = { removed: [id] };
    byId("pick-files").focus(); // the button that had the focus is gone
  }

  /** Adds files one by one: a bad one does not keep the others out. */
  async function addFiles(files) {
    const reports = byId("file-reports");
    for (const old of [...reports.children]) if (old.dataset.state !== "busy") old.remove();
    const seen = new Map();
    for (const file of files) {
      const report = h("li", {}, `${file.name}: reading…`);
      report.dataset.state = "busy";
      reports.append(report);
      // Two files of one name in one drop are two documents; the same name again later replaces the first.
      const again = (seen.get(file.name) ?? 0) + 1;
      seen.set(file.name, again);
      const id = again === 1 ? file.name : `${file.name} (${again})`;
      try {
        const { text, warning } = await addFile(id, file, report);
        report.dataset.state = warning ? "warning" : "done";
        report.textContent = text;
      } catch (error) {
        report.dataset.state = "failed";
        report.textContent = `${file.name} was not added. ${error.message}`;
      }
    }
  }

  async function addFile(id, file, report) {
    if (!READABLE.test(file.name)) throw new Error("Only .md, .txt and .html files can be read so far.");
    if (file.size > LARGEST) {
      throw new Error(`It has ${(file.size / 1048576).toFixed(0)} MB; a file may have up to ${LARGEST / 1048576} MB. Split it into parts.`);
    }
    const replaced = (await kb.documents({ collections: ["default"] })).documents.some((document) => document.id === id);
    const bytes = new Uint8Array(await file.arrayBuffer());
    let isIn = false;
    const onProgress = (progress) => {
      if (progress.phase !== "embed") return;
      if (!isIn) changed.value = { added: [id] };
      isIn = true;
      report.textContent = `${file.name}: can be searched; ${progress.loaded} of ${plural(progress.total, "passage")} understood`;
    };
    const format = /\.html?$/i.test(file.name) ? "html" : /\.(md|markdown)$/i.test(file.name) ? "markdown" : "text";
    try {
      const added = await kb.add([{ id, title: id, bytes, format }], { onProgress });
      if (!isIn) changed.value = { added: [id] };
      const cut = added.truncated.length;
      const note = cut > 0 ? ` In ${plural(cut, "passage")}, the end was too long for the model and is found by words only.` : "";
      return { text: `${file.name} ${replaced ? "replaced" : "added"}: ${plural(added.chunks, "passage")}.${note}` };
    } catch (error) {
      // The text is in before the vectors are made: a model that fails does not lose it.
      if (!isIn) throw error;
      return { text: `${file.name} can be searched by words only. ${error.message}`, warning: true };
    }
  }

  listenForFiles(addFiles);
}

function listenForFiles(addFiles) {
  const input = byId("files");
  byId("pick-files").addEventListener("click", () => input.click());
  input.addEventListener("change", async () => {
    await addFiles([...input.files]);
    input.value = "";
  });

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
    addFiles([...event.dataTransfer.files]);
  });
}

const plural = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
