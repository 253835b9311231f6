// Text as a document: by a dialog, or pasted on the Library tab. Files can be pasted there, too.

import { byId } from "../dom.js";

const LONGEST_TITLE = 80;
/** Characters that names of files must not have. */
const NOT_IN_NAMES = /[\\/:*?"<>|\u0000-\u001f]+/g;

/** @param {{ add: (files: any[]) => void, isTaken: (path: string) => Promise<boolean> }} options `isTaken` returns whether a document has this path */
export function startPaste({ add, isTaken }) {
  const dialog = byId("paste");
  const [title, text] = [byId("paste-title"), byId("paste-body")];

  function open(pasted = "") {
    byId("paste-form").reset();
    text.value = pasted;
    title.value = titleOf(pasted);
    byId("paste-notice").hidden = true;
    dialog.showModal();
    (pasted ? title : text).focus();
  }

  byId("paste-text").addEventListener("click", () => open());
  byId("paste-cancel").addEventListener("click", () => dialog.close());
  byId("paste-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const isBlank = !/[\p{L}\p{N}]/u.test(text.value);
    byId("paste-notice").hidden = !isBlank;
    if (isBlank) return text.focus();
    const name = title.value.trim() || titleOf(text.value);
    const path = await unusedPath(name.replace(NOT_IN_NAMES, " ").replace(/\s+/g, " ").trim() || "Pasted text", isTaken);
    dialog.close();
    add([{ path, file: new File([text.value], path), title: name }]);
  });

  document.addEventListener("paste", (event) => {
    const isElsewhere = byId("library").hidden || document.querySelector("dialog[open]") !== null;
    if (isElsewhere || /** @type {HTMLElement} */ (event.target).closest?.("input, textarea, select, [contenteditable]")) return;
    const files = [...(event.clipboardData?.files ?? [])];
    const pasted = event.clipboardData?.getData("text/plain") ?? "";
    if (files.length === 0 && pasted.trim() === "") return;
    event.preventDefault();
    if (files.length > 0) add(files.map((file) => ({ path: file.name, file })));
    else open(pasted);
  });
}

/** Returns the first line of a text, without marks of a heading. */
function titleOf(text) {
  const line = text.trimStart().split("\n", 1)[0].replace(/^#+\s*/, "").trim();
  return line.length > LONGEST_TITLE ? `${line.slice(0, line.lastIndexOf(" ", LONGEST_TITLE) + 1 || LONGEST_TITLE).trim()}…` : line;
}

async function unusedPath(name, isTaken) {
  for (let again = 1; ; again++) {
    const path = `${name}${again > 1 ? ` (${again})` : ""}.md`;
    if (!(await isTaken(path))) return path;
  }
}
