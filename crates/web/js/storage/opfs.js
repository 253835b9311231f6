// Libraries in the origin's private file system: `vademecum/<SHA-256 of the name>/`, a folder each.
//
// A hash, because a name may hold what no file system takes, be longer than one takes, or differ from another only in
// case. The name itself stands in a file of the folder, which is written before all others.

const ROOT = "vademecum";
/** No file of the engine can be called so. */
const NAME_FILE = "@name";
/** Milliseconds. A worker that was ended lets go of its lock a little sooner than of its files. */
const WAITS = [10, 20, 50, 100, 200, 400];

export class OpfsFiles {
  kind = "opfs";
  #name;
  #isNamed = false;

  constructor(name) {
    this.#name = name;
  }

  /** Whether the library is here. Rejects where there is no private file system. */
  async exists() {
    this.#isNamed = (await nameIn(await this.#folder())) === this.#name;
    return this.#isNamed;
  }

  /** Makes the folder, and finds out whether writing works: a file system may be there and refuse. */
  async create() {
    // A folder without the file was being deleted when something cut that short.
    const found = await this.#folder();
    if (found && !(await readFile(found, NAME_FILE))) await this.destroy();
    const folder = await this.#folder({ create: true });
    await writeFile(folder, NAME_FILE, new TextEncoder().encode(this.#name));
    if (!(await this.exists())) throw new Error("what was written could not be read back");
  }

  async list() {
    const files = [];
    const folder = await this.#folder();
    if (!folder) return files;
    await orAbsent(async () => {
      for await (const [name, handle] of folder.entries()) {
        if (name === NAME_FILE) continue;
        const file = await orAbsent(() => handle.getFile()); // it may be removed meanwhile
        if (file) files.push({ name, bytes: file.size });
      }
    });
    return files;
  }

  async read(name) {
    const folder = await this.#folder();
    return folder && readFile(folder, name);
  }

  async write(name, bytes) {
    // Who has waited to become the writer may find that the former one deleted the library.
    if (!this.#isNamed) await this.create();
    await writeFile(await this.#folder({ create: true }), name, bytes);
  }

  async remove(name) {
    const folder = await this.#folder();
    if (folder) await orAbsent(() => patiently(() => folder.removeEntry(name)));
  }

  async destroy() {
    this.#isNamed = false;
    await this.remove(NAME_FILE); // first: from here on there is no library, even if what follows is cut short
    const root = await rootFolder();
    const name = await folderOf(this.#name);
    if (root) await orAbsent(() => patiently(() => root.removeEntry(name, { recursive: true })));
  }

  close() {}

  /** Asked for anew each time: another tab may have deleted the library, and someone made it again. */
  async #folder({ create = false } = {}) {
    const root = await rootFolder({ create });
    const name = await folderOf(this.#name);
    return root && orAbsent(() => root.getDirectoryHandle(name, { create }));
  }
}

export async function opfsLibraries() {
  const names = [];
  const root = await rootFolder();
  if (!root) return names;
  for await (const entry of root.values()) {
    const name = entry.kind === "directory" ? await nameIn(entry) : null;
    if (name !== null) names.push(name);
  }
  return names;
}

async function rootFolder({ create = false } = {}) {
  if (!globalThis.navigator?.storage?.getDirectory) throw new Error("no private file system; it needs a secure page");
  const origin = await navigator.storage.getDirectory();
  return orAbsent(() => origin.getDirectoryHandle(ROOT, { create }));
}

async function folderOf(name) {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(name));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function nameIn(folder) {
  const bytes = folder && (await readFile(folder, NAME_FILE));
  return bytes?.byteLength ? new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes) : null;
}

/** Read as a `File`, which many may do at once: an access handle is for one alone. */
async function readFile(folder, name) {
  const read = async () => new Uint8Array(await (await (await folder.getFileHandle(name)).getFile()).arrayBuffer());
  // A file that is replaced between the two steps cannot be read by the first's `File`.
  return orAbsent(() => patiently(read, "NotReadableError"));
}

async function writeFile(folder, name, bytes) {
  const handle = await folder.getFileHandle(name, { create: true });
  try {
    // Only dedicated workers have access handles, and old Safari has nothing else.
    await (handle.createSyncAccessHandle ? writeInPlace(handle, bytes) : writeAside(handle, bytes));
    // Chromium's private windows say that all was written, and keep what fits.
    const { size } = await handle.getFile();
    if (size < bytes.byteLength) {
      await folder.removeEntry(name);
      throw notAll(size, bytes);
    }
  } catch (thrown) {
    // What could not be written takes no space. An empty file is none of the engine's.
    const left = await handle.getFile().catch(() => null);
    if (left?.size === 0) await folder.removeEntry(name).catch(() => {});
    throw thrown;
  }
}

/** Awaits what newer browsers do at once: it was asynchronous in older ones. */
async function writeInPlace(handle, bytes) {
  const access = await patiently(() => handle.createSyncAccessHandle());
  try {
    await access.truncate(0);
    const written = await access.write(bytes, { at: 0 });
    if (written < bytes.byteLength) throw notAll(written, bytes);
    await access.flush();
  } catch (thrown) {
    await empty(access);
    throw thrown;
  } finally {
    await access.close();
  }
}

const notAll = (written, { byteLength }) =>
  new DOMException(`only ${written} of ${byteLength} bytes were written`, "QuotaExceededError");

async function empty(access) {
  try {
    await access.truncate(0);
  } catch {
    // The write's own error says more.
  }
}

async function writeAside(handle, bytes) {
  if (!handle.createWritable) throw new Error("this browser writes private files in dedicated workers only");
  const writable = await patiently(() => handle.createWritable());
  try {
    // Its size first: of bytes that do not fit, Chromium may only say that a pipe broke.
    await writable.truncate(bytes.byteLength);
    await writable.write(bytes);
    await writable.close();
  } catch (thrown) {
    await writable.abort().catch(() => {});
    throw thrown;
  }
}

async function orAbsent(run) {
  try {
    return await run();
  } catch (thrown) {
    if (thrown?.name === "NotFoundError") return null;
    throw thrown;
  }
}

async function patiently(run, passing = "NoModificationAllowedError") {
  for (const wait of WAITS) {
    try {
      return await run();
    } catch (thrown) {
      if (thrown?.name !== passing) throw thrown;
    }
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
  return run();
}
