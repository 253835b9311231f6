// Finds the PDF file that a document was made of: in the folder that is kept in sync with the library, or among the files that were kept.

import { storedFolders } from "./folder-store.js";
import { keptPdf } from "./pdf-files.js";

/**
 * Returns the file of a document, or null if the document is of another kind, or its file is not at hand.
 *
 * @param {{ collection: string, id: string, metadata: Record<string, any> }} document
 * @returns {Promise<File | null>}
 */
export async function pdfOf({ collection, id, metadata }) {
  if (metadata?.type !== "pdf") return null;
  return (await inFolder(collection, String(metadata.path ?? id))) ?? keptPdf({ collection, id });
}

/** Returns the file of a folder that the browser lets the page read, if it is as it was when it was read. */
async function inFolder(collection, path) {
  try {
    for (const folder of await storedFolders()) {
      const root = folder.root ?? folder.name;
      const known = folder.files[path];
      if (folder.collection !== collection || !known || !path.startsWith(`${root}/`)) continue;
      if ((await Reflect.get(folder.handle, "queryPermission")?.call(folder.handle, { mode: "read" })) === "prompt") continue; // the library offers to allow it again
      const parts = path.slice(root.length + 1).split("/");
      let within = folder.handle;
      for (const part of parts.slice(0, -1)) within = await within.getDirectoryHandle(part);
      const file = await (await within.getFileHandle(parts.at(-1) ?? "")).getFile();
      if (file.size === known.size && file.lastModified === known.modified) return file;
    }
  } catch {
    // moved, removed or not allowed: the text is shown
  }
  return null;
}
