// Whether this browser has WebAssembly's instructions of 128-bit SIMD, and what it lacks without them.

/** A module with one such instruction. */
const SAMPLE = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11]);

/** True as well where there is no WebAssembly at all, which is another fault. */
export const hasSimd = () => globalThis.WebAssembly?.validate(SAMPLE) !== false;

/** What is lacking, and where it is not. */
export const LACKING = "This browser has no SIMD instructions of WebAssembly";
export const HAVING = "Chrome 103, Firefox 114, Safari 16.4 and later ones have them, on processors of the last 15 years.";

let told = false;

/** Warns once where they are lacking. */
export function warnWithoutSimd() {
  if (told || hasSimd()) return;
  told = true;
  console.warn(`vademecum: ${LACKING}: words are searched, models do not run. ${HAVING}`);
}
