// Libraries in the origin's private file system: one folder `vademecum/<SHA-256 of the name>/` per library.
//
// The folder is named by a hash, because a library's name may be invalid or too long for a file system, or differ from another only in
// case. The name itself is in a file of the folder, which is written before all others.

const ROOT = "vademecum";
/** A name that the engine never uses. */
const NAME_FILE = "@name";
/** Milliseconds to retry: a terminated worker releases its lock slightly before its files. */
const WAITS = [10, 20, 50, 100, 200, 400];

export class OpfsFiles {
  kind = "opfs";
  #name;
  #isNamed = false;

  constructor(name) {
    this.#name = name;
  }

  /** Whether the library exists. Rejects without a private file system. */
  async exists() {
    this.#isNamed = (await nameIn(await this.#folder())) === this.#name;
    return this.#isNamed;
  }

  /** Creates the folder, and tests whether writing works: a file system may exist and refuse it. */
  async create() {
    // A folder without the file is left from an interrupted deletion.
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
        const file = await orAbsent(() => handle.getFile()); // it may have been removed meanwhile
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
    // A new writer may find that the previous one deleted the library.
    if (!this.#isNamed) await this.create();
    await writeFile(await this.#folder({ create: true }), name, bytes);
  }

  async remove(name) {
    const folder = await this.#folder();
    if (folder) await orAbsent(() => patiently(() => folder.removeEntry(name)));
  }

  async destroy() {
    this.#isNamed = false;
    await this.remove(NAME_FILE); // first, so that the library is gone even if the rest is interrupted
    const root = await rootFolder();
    const name = await folderOf(this.#name);
    if (root) await orAbsent(() => patiently(() => root.removeEntry(name, { recursive: true })));
  }

  close() {}

  /** Requested each time, because another tab may have deleted and recreated the library. */
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

/** Whether this thread has access handles, which are in dedicated workers alone. */
export const hasHandles = () => "createSyncAccessHandle" in (globalThis.FileSystemFileHandle?.prototype ?? {}) && "DedicatedWorkerGlobalScope" in globalThis;

export async function rootFolder({ create = false } = {}) {
  if (!globalThis.navigator?.storage?.getDirectory) throw new Error("no private file system; it needs a secure page");
  const origin = await navigator.storage.getDirectory();
  return orAbsent(() => origin.getDirectoryHandle(ROOT, { create }));
}

export async function folderOf(name) {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(name));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function nameIn(folder) {
  const bytes = folder && (await readFile(folder, NAME_FILE));
  return bytes?.byteLength ? new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes) : null;
}

/** Reads as a `File`, which allows concurrent readers: an access handle is exclusive. */
async function readFile(folder, name) {
  const read = async () => new Uint8Array(await (await (await folder.getFileHandle(name)).getFile()).arrayBuffer());
  // A file that is replaced between the two steps cannot be read by the first `File`.
  return orAbsent(() => patiently(read, "NotReadableError"));
}

async function writeFile(folder, name, bytes) {
  const handle = await folder.getFileHandle(name, { create: true });
  try {
    // Access handles exist only in dedicated workers, and old versions of Safari have nothing else.
    await (handle.createSyncAccessHandle ? writeInPlace(handle, bytes) : writeAside(handle, bytes));
    // Chromium's private windows report success, and keep only what fits.
    const { size } = await handle.getFile();
    if (size < bytes.byteLength) {
      await folder.removeEntry(name);
      throw notAll(size, bytes);
    }
  } catch (thrown) {
    // Frees the space of an incomplete file. The engine never writes empty files.
    const left = await handle.getFile().catch(() => null);
    if (left?.size === 0) await folder.removeEntry(name).catch(() => {});
    throw thrown;
  }
}

/** Awaits calls that are synchronous in newer browsers and asynchronous in older ones. */
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
    // the error of the write is more specific
  }
}

async function writeAside(handle, bytes) {
  if (!handle.createWritable) throw new Error("this browser writes private files in dedicated workers only");
  const writable = await patiently(() => handle.createWritable());
  try {
    // Sets the size first: for bytes that do not fit, Chromium may only report a broken pipe.
    await writable.truncate(bytes.byteLength);
    await writable.write(bytes);
    await writable.close();
  } catch (thrown) {
    await writable.abort().catch(() => {});
    throw thrown;
  }
}

export async function orAbsent(run) {
  try {
    return await run();
  } catch (thrown) {
    if (thrown?.name === "NotFoundError") return null;
    throw thrown;
  }
}

export async function patiently(run, passing = "NoModificationAllowedError") {
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
