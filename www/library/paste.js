// Text as a document: by a dialog, or pasted on the Library tab. Files can be pasted there, too.

import { byId } from "../dom.js";
import { isReadable } from "./readers/index.js";
import { t } from "../words.js";

const LONGEST_TITLE = 80;
/** Characters that names of files must not have. */
const NOT_IN_NAMES = /[\\/:*?"<>|\u0000-\u001f]+/g;

/** Files that can be added: an exported library as well. */
const isAddable = ({ name }) => isReadable(name) || /\.vdm$/i.test(name);

/** @param {{ add: (files: any[]) => Promise<void>, isTaken: (path: string) => Promise<boolean> }} options `isTaken` returns whether a document has this path */
export function startPaste({ add, isTaken }) {
  const dialog = byId("paste");
  const given = new Set(); // paths of texts that are being added
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
    const body = text.value;
    const isBlank = !/[\p{L}\p{N}]/u.test(text.value);
    byId("paste-notice").hidden = !isBlank;
    if (isBlank) return text.focus();
    const name = title.value.trim() || titleOf(text.value);
    const path = await unusedPath(name.replace(NOT_IN_NAMES, " ").replace(/\s+/g, " ").trim() || t("Pasted text"), { given, isTaken });
    dialog.close();
    await add([{ path, file: new File([body], path), title: name }]);
    given.delete(path);
  });

  document.addEventListener("paste", (event) => {
    const isElsewhere = byId("library").hidden || document.querySelector("dialog[open]") !== null;
    if (isElsewhere || /** @type {HTMLElement} */ (event.target).closest?.("input, textarea, select, [contenteditable]")) return;
    const files = [...(event.clipboardData?.files ?? [])];
    const pasted = event.clipboardData?.getData("text/plain") ?? "";
    if (files.length === 0 && pasted.trim() === "") return;
    event.preventDefault();
    // Programs for tables and texts put a picture of what was copied beside its text.
    const isText = pasted.trim() !== "" && !files.some(isAddable);
    if (!isText) void add(files.map((file) => ({ path: file.name, file })));
    else open(pasted);
  });
}

/** Returns the first line of a text, without marks of a heading. */
function titleOf(text) {
  const line = text.trimStart().split("\n", 1)[0].replace(/^#+\s*/, "").trim();
  return line.length > LONGEST_TITLE ? `${line.slice(0, line.lastIndexOf(" ", LONGEST_TITLE) + 1 || LONGEST_TITLE).trim()}…` : line;
}

/** Returns a path that no document has, and none that is being added. It is in `given` afterwards. */
async function unusedPath(name, { given, isTaken }) {
  for (let again = 1; ; again++) {
    const path = `${name}${again > 1 ? ` (${again})` : ""}.md`;
    if (given.has(path)) continue;
    given.add(path); // before the library is asked: another text may have this name meanwhile
    if (!(await isTaken(path))) return path;
    given.delete(path);
  }
}
