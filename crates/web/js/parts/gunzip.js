// Undoes a compression that a host adds to files without telling: of a file in gzip form, served with `Content-Encoding: gzip`, browsers
// undo one of two.

export const isGzip = (bytes) => bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 8;

/** Returns the contents of bytes in gzip form, of at most `most` bytes; the bytes themselves if they are not in that form after all. */
export async function gunzipped(bytes, most) {
  try {
    const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")).getReader();
    const pieces = [];
    for (let length = 0; ; ) {
      const { done, value } = await reader.read();
      if (done) return new Uint8Array(await new Blob(pieces).arrayBuffer());
      length += value.length;
      if (length > most) {
        await reader.cancel();
        return bytes;
      }
      pieces.push(value);
    }
  } catch {
    return bytes; // the check of its hash tells
  }
}
