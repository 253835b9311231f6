// Starts the shared worker of an encoder on the page, because only pages can. Bundlers look for the literal expression
// `new SharedWorker(…)`: it must not be changed.

import { trustedIfOwn } from "./attach.js";
import { Transferred } from "./channel.js";
import { started } from "./started.js";

/** Milliseconds to wait for the worker's first message. Without one, the engine starts workers of its own. */
const START = 10_000;

/**
 * Returns the beginning of the names of the workers that tabs share, which differs between models and their options. Nothing where browsers
 * lack what is needed, as outside of a page and on one without HTTPS, and with workers of the user's.
 * @param {any} files the model's files and options @param {any} own the option `workers`
 */
export async function sharedName(files, own) {
  if (own.embedder || !globalThis.SharedWorker || !globalThis.navigator?.locks || !globalThis.crypto?.subtle) return undefined;
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify(files)));
  return `vademecum ${[...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** Returns a port to the shared worker of a name, and the name of the lock that it has while it lives; null if it cannot be started. */
export async function sharedEmbedder({ name }) {
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
    port.addEventListener("message", ({ data }) => resolve(data), { once: true });
    port.start();
    worker.addEventListener("error", () => resolve(null));
    setTimeout(resolve, START, null);
  });
  return here && new Transferred({ port, alive: here.alive }, [port]);
}
