// How much room this page's own files take. The browser's account of it is of all that the origin has ever written, and far off at times.

/** Bytes of what the libraries of this page take in its file system; null where the browser has none. */
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

/** Bytes of what is kept for use offline: the page and its model. */
export async function bytesOfPage() {
  try {
    const caches = await Promise.all((await globalThis.caches.keys()).map((name) => globalThis.caches.open(name)));
    const kept = (await Promise.all(caches.map((cache) => cache.matchAll()))).flat();
    return kept.reduce((sum, { headers }) => sum + Number(headers.get("content-length") ?? 0), 0);
  } catch {
    return 0; // no cache, or none on an insecure page
  }
}
