// The files in what was dropped or picked, folders with all that is in them: `{ path, file }` each; `{ path, error }` where one
// cannot be had.

/** Files that systems and programs keep for themselves: nobody means them by dropping a folder. */
const HIDDEN = /(^|\/)(\.[^/]|__MACOSX\/)/;

/** To be called while the drop is being told: its list is empty a moment later. */
export function dropped(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (entries.some((entry) => entry.isDirectory)) return inFolders(entries);
  return Promise.resolve([...transfer.files].map((file) => ({ path: file.name, file })));
}

/** What a file input holds; one for folders gives paths. */
export const picked = (input) =>
  [...input.files].map((file) => ({ path: file.webkitRelativePath || file.name, file })).filter(({ path }) => !HIDDEN.test(path));

async function inFolders(entries) {
  const found = [];
  const waiting = [...entries];
  for (let entry = waiting.shift(); entry; entry = waiting.shift()) {
    const path = entry.fullPath.replace(/^\//, "");
    if (HIDDEN.test(entry.isDirectory ? `${path}/` : path)) continue;
    try {
      if (entry.isDirectory) await each(entry.createReader(), (inner) => waiting.push(...inner));
      else found.push({ path, file: await new Promise((resolve, reject) => entry.file(resolve, reject)) });
    } catch (error) {
      found.push({ path: entry.isDirectory ? `${path}/` : path, error: unreadable(error) }); // the others can be had
    }
  }
  return found;
}

/** A reader gives some of a folder at a time, and none at the end. */
async function each(reader, take) {
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return;
    take(some);
  }
}

/** What is told of a file that the browser does not get. */
export const unreadable = ({ message }) =>
  new Error(`The browser could not read it (${message}). It may have been moved or changed, or be closed to you; add it again.`);
