// What a zip archive says that it holds, and whether that is so: before any of it is unpacked in memory.

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const LOCAL = 0x04034b50;
const [STORED, DEFLATED] = [0, 8];

/** The parts by the directory at its end: `{ name, method, size, packed, at }` each. Null where there is no whole one. */
export function partsOf(bytes) {
  const view = viewOf(bytes);
  let end = bytes.length - 22;
  while (end > 0 && view.getUint32(end, true) !== END) end -= 1;
  if (end <= 0) return null;
  const parts = [];
  let at = view.getUint32(end + 16, true);
  while (at + 46 <= end && view.getUint32(at, true) === ENTRY) {
    const [name, extra, comment] = [28, 30, 32].map((field) => view.getUint16(at + field, true));
    parts.push({
      name: new TextDecoder("latin1").decode(bytes.subarray(at + 46, at + 46 + name)),
      method: view.getUint16(at + 10, true),
      packed: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      at: view.getUint32(at + 42, true),
    });
    at += 46 + name + extra + comment;
  }
  // What is not found here might be found by another reader, and be larger than anything that was counted.
  return parts.length > 0 && parts.length === view.getUint16(end + 10, true) ? parts : null;
}

/** Whether a part unpacks to no more than it says. Nothing is kept of it, and it is left as soon as it is more. */
export async function holdsWhatItSays(bytes, { method, packed, size, at }) {
  const view = viewOf(bytes);
  if (at + 30 > bytes.length || view.getUint32(at, true) !== LOCAL) return false;
  const start = at + 30 + view.getUint16(at + 26, true) + view.getUint16(at + 28, true);
  if (method === STORED) return packed <= size;
  if (method !== DEFLATED) return false;
  const reader = new Blob([bytes.subarray(start, start + packed)]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  let left = size;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return true;
      left -= value.length;
      if (left < 0) return false;
    }
  } catch {
    return false; // damaged
  } finally {
    reader.cancel().catch(() => {});
  }
}

const viewOf = (bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
