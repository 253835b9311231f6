// Character maps for East Asian PDFs that name a map instead of embedding one: 168 maps in one file, fetched from
// this page's origin when the first such PDF is read. The file starts with a line of names and sizes.

const ADDRESS = new URL("../../vendor/character-maps.bin", import.meta.url).href;
let loading = null;

async function load() {
  const response = await fetch(ADDRESS);
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  const end = bytes.indexOf(0x0a);
  const maps = new Map();
  let at = end + 1;
  for (const [name, size] of JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)))) {
    maps.set(name, bytes.subarray(at, at + size));
    at += size;
  }
  return maps;
}

/** Implements the file loader of pdf.js, which needs only these files to read text, not fonts or image decoders. */
export class CharacterMaps {
  async fetch({ kind, filename }) {
    if (kind !== "cMapUrl") throw new Error(`${filename} is not needed for text.`);
    loading ??= load();
    const maps = await loading.catch((error) => {
      loading = null; // the next file tries again
      throw error;
    });
    if (!maps.has(filename)) throw new Error(`The character map ${filename} does not exist.`);
    return maps.get(filename).slice();
  }
}
