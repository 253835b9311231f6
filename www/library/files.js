// Reads dropped or picked files, and folders recursively: `{ path, file, fresh? }` each, where `fresh` gives the file as it is then, or
// `{ path, error }` for one that cannot be accessed.

import { t } from "../words.js";

/** Files of systems and programs, which nobody means to add with a folder. */
const HIDDEN = /(^|\/)(\.[^/]|__MACOSX\/)/;
export const isHidden = (path) => HIDDEN.test(path);

/** Must be called during the drop event: its list is empty afterwards. */
export function dropped(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (entries.some((entry) => entry.isDirectory)) return inFolders(entries);
  return Promise.resolve([...transfer.files].map((file) => ({ path: file.name, file })));
}

/** Returns the files of an input; inputs for folders provide paths. */
export const picked = (input) =>
  [...input.files].map((file) => ({ path: file.webkitRelativePath || file.name, file })).filter(({ path }) => !isHidden(path));

async function inFolders(entries) {
  const found = [];
  const waiting = [...entries];
  for (let entry = waiting.shift(); entry; entry = waiting.shift()) {
    const path = entry.fullPath.replace(/^\//, "");
    if (isHidden(entry.isDirectory ? `${path}/` : path)) continue;
    try {
      if (entry.isDirectory) await each(entry.createReader(), (inner) => waiting.push(...inner));
      else found.push({ path, ...(await fileOf(entry)) });
    } catch (error) {
      found.push({ path: entry.isDirectory ? `${path}/` : path, error: unreadable(error) }); // the others can still be read
    }
  }
  return found;
}

/** Returns the file of an entry, and `fresh`, which gives it as it is then. */
async function fileOf(entry) {
  const fresh = () => new Promise((resolve, reject) => entry.file(resolve, reject));
  return { file: await fresh(), fresh };
}

/** Readers return the entries of a folder in parts, and an empty part at the end. */
async function each(reader, take) {
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return;
    take(some);
  }
}

/** The error for a file that the browser cannot read. */
export const unreadable = ({ message }) =>
  new Error(t`The browser could not read it (${message}). It may have been moved or changed, or you may lack permission; add it again.`);

/** The error for a file that another program writes to. */
export const changedMeanwhile = () => new Error(t("It changed twice while it was read. Add it again when no other program writes to it."));
