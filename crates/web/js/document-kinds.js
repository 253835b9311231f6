// Kinds of the fields of documents that need more than `options.js`.

import { tagOf } from "./blob.js";
import { invalid } from "./error.js";
import { shown } from "./options.js";

/** Returns binary data as a `Uint8Array`, or as a `Blob` that is read later. */
export function bytes(name, value) {
  const tag = tagOf(value);
  if (tag === "Uint8Array" || tag === "Blob" || tag === "File") return value;
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  if (tag === "ArrayBuffer" || tag === "SharedArrayBuffer") return new Uint8Array(value);
  throw invalid(name, "a Uint8Array, an ArrayBuffer, a Blob or a File", shown(value));
}

/** Metadata: any object; its values are checked later. */
export function metadata(name, value) {
  if (typeof value !== "object" || Array.isArray(value)) throw invalid(name, "an object", shown(value));
  return value;
}
