// The size of this page's own files. The browser's figure covers everything that the origin has ever written, and can be far off.

/** Returns the size of this page's libraries in its file system, in bytes; null if the browser has none. */
export async function bytesOfFiles() {
  try {
    return await bytesIn(await navigator.storage.getDirectory());
  } catch {
    return null;
  }
}

async function bytesIn(folder) {
  let bytes = 0;
  for await (const entry of folder.values()) {
    try {
      bytes += entry.kind === "directory" ? await bytesIn(entry) : (await entry.getFile()).size;
    } catch {
      // removed meanwhile
    }
  }
  return bytes;
}

/** Returns the size of the files cached for offline use, the page and its model, in bytes. */
export async function bytesOfPage() {
  try {
    const caches = await Promise.all((await globalThis.caches.keys()).map((name) => globalThis.caches.open(name)));
    const kept = (await Promise.all(caches.map((cache) => cache.matchAll()))).flat();
    return kept.reduce((sum, { headers }) => sum + Number(headers.get("content-length") ?? 0), 0);
  } catch {
    return 0; // no cache, or an insecure page
  }
}
