// Starts the shared worker of an encoder on the page, because only pages can. Bundlers look for the literal expression
// `new SharedWorker(…)`: it must not be changed.

import { trustedIfOwn } from "./attach.js";
import { Transferred } from "./channel.js";
import { hasSimd } from "./simd.js";
import { started } from "./started.js";

/** Number of the messages between tabs and shared workers: tabs of another version of the package, with another number, have workers of their own. */
const PROTOCOL = 1;
/** Milliseconds to wait for the worker's first message, and how often: the first worker may be one that is just ending. */
const START = 5_000;
const ATTEMPTS = 2;

/**
 * Returns the beginning of the names of the workers that tabs share, which differs between models and their options. Returns undefined with
 * workers of the user's, and where shared workers are not possible: outside of a page, on an insecure page, and without SIMD.
 * @param {any} files the model's files and options @param {any} own the option `workers`
 */
export async function sharedName({ options, timeout: _, cache: __, ...files }, own) {
  if (own.embedder || !hasSimd() || !globalThis.SharedWorker || !globalThis.navigator?.locks || !globalThis.crypto?.subtle) return undefined;
  const what = JSON.stringify([files, options].map((part) => Object.entries(part).sort()));
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(what));
  return `vademecum ${PROTOCOL} ${[...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/**
 * Returns a port to the shared worker of a name, and the name of the lock that it has while it lives; null if it cannot be started: then the
 * engine starts workers of its own.
 */
export async function sharedEmbedder({ name }) {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const found = await connected(name);
    if (found !== undefined) return found;
  }
  return null;
}

/** Returns undefined after `START`. */
async function connected(name) {
  const Own = globalThis.SharedWorker;
  let worker;
  try {
    ({ worker } = started(
      () => new SharedWorker(new URL("./shared-embed-worker.js", import.meta.url), { type: "module" }),
      (address, url, options) => Reflect.construct(Own, [trustedIfOwn(address, url), { ...options, name }]),
      "SharedWorker",
    ));
  } catch {
    return null; // a policy forbids it
  }
  const { port } = worker;
  const here = await new Promise((resolve) => {
    const late = setTimeout(resolve, START);
    const settle = (value) => (clearTimeout(late), resolve(value));
    port.addEventListener("message", ({ data }) => settle(data?.kind === "here" ? data : null), { once: true });
    worker.addEventListener("error", () => settle(null));
    port.start();
  });
  if (here) return new Transferred({ port, alive: here.alive }, [port]);
  port.close();
  return here;
}
