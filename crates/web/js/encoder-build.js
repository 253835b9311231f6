// The two builds of the kernel's module: browsers with relaxed SIMD get the faster one. Separate from what starts them, so that an engine,
// which only compiles one for its workers, does without their scripts.

import { compile, unavailable } from "./start.js";

/** Addresses of the modules. */
export const addresses = {
  plain: new URL("./vademecum-encoder_bg.wasm", import.meta.url),
  relaxed: new URL("./vademecum-encoder-relaxed_bg.wasm", import.meta.url),
};

/** A module of one function: `() => i32x4.relaxed_dot_i8x16_i7x16_add_s(…)` of three zeros. */
const RELAXED_DOT = [
  [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00], // magic number, version
  [0x01, 0x05, 0x01, 0x60, 0x00, 0x01, 0x7b], // type () -> v128
  [0x03, 0x02, 0x01, 0x00],
  [0x0a, 0x13, 0x01, 0x11, 0x00],
  ...[1, 2, 3].map(() => [0x41, 0x00, 0xfd, 0x0f]), // i8x16.splat(0)
  [0xfd, 0x93, 0x02, 0x0b],
];

/** The first major version of Node whose baseline compiler computes relaxed instructions rightly. */
const SOUND_NODE = 22;

/** Returns the name of the best build. */
export function bestBuild() {
  const node = Number.parseInt(globalThis.process?.versions?.node ?? `${SOUND_NODE}`, 10);
  return node >= SOUND_NODE && WebAssembly.validate(new Uint8Array(RELAXED_DOT.flat())) ? "relaxed" : "plain";
}

/** Compiles the build for this browser: `{ name, compiled }`, for workers to share. */
export async function compiledEncoder() {
  const name = bestBuild();
  const compiled = await compile(addresses[name]).catch((thrown) => Promise.reject(unavailable(addresses[name], thrown)));
  return { name, compiled };
}
