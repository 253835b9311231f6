// A model's file, kept in this browser if the user wants it, so that it can be loaded again after a reload: one at most.

const FOLDER = "language-model";

const folder = async (options) => (await navigator.storage.getDirectory()).getDirectoryHandle(FOLDER, options);

/** Keeps a file in place of the one before. Rejects if there is no room, and keeps nothing then. */
export async function keepFile(file) {
  await forgetFile();
  const handle = await (await folder({ create: true })).getFileHandle(file.name, { create: true });
  try {
    const writable = await handle.createWritable();
    await file.stream().pipeTo(writable);
  } catch (error) {
    await forgetFile();
    throw error;
  }
}

/** Returns the kept file, or null. */
export async function keptFile() {
  try {
    for await (const handle of /** @type {any} */ (await folder()).values()) if (handle.kind === "file") return await handle.getFile();
  } catch {
    // nothing is kept
  }
  return null;
}

export async function forgetFile() {
  try {
    await (await navigator.storage.getDirectory()).removeEntry(FOLDER, { recursive: true });
  } catch {
    // nothing was kept
  }
}
