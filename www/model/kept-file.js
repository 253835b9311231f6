// A model's file, kept in this browser if the user wants it, so that it can be loaded again after a reload: one at most.

const FOLDER = "language-model";

const folder = async (options) => (await navigator.storage.getDirectory()).getDirectoryHandle(FOLDER, options);

/** Keeps a file in place of the one before. Rejects if there is no room or `signal` is aborted, and keeps nothing then. */
export async function keepFile(file, { signal }) {
  await forgetFile();
  const handle = await (await folder({ create: true })).getFileHandle(file.name, { create: true });
  try {
    const writable = await handle.createWritable();
    await file.stream().pipeTo(writable, { signal });
    signal.throwIfAborted();
  } catch (error) {
    await forgetFile().catch(() => {}); // the first error says more
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

/** Removes the kept file. Rejects if there is one and it stays. */
export async function forgetFile() {
  const root = await navigator.storage?.getDirectory().catch(() => null);
  await root?.removeEntry(FOLDER, { recursive: true }).catch((error) => {
    if (error.name !== "NotFoundError") throw error;
  });
}
