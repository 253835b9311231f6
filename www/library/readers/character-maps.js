// What the letters of East Asian PDFs are that name a character map instead of holding one: 168 maps in one file, which is fetched from
// this page's own address when the first such PDF comes. It begins with a line of names and sizes.

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

/** As pdf.js asks for files of its own. It needs none but these to read text: no fonts, no decoders of pictures. */
export class CharacterMaps {
  async fetch({ kind, filename }) {
    if (kind !== "cMapUrl") throw new Error(`${filename} is not needed for text.`);
    loading ??= load();
    const maps = await loading.catch((error) => {
      loading = null; // the next file tries again
      throw error;
    });
    if (!maps.has(filename)) throw new Error(`There is no character map ${filename}.`);
    return maps.get(filename).slice();
  }
}
