// Hashes of files in the form of subresource integrity: `sha256-` and the hash in base64.

import { unsupported, VademecumError } from "./error.js";

const FORM = /^sha(256|384|512)-[A-Za-z0-9+/]+={0,2}$/;

/** Whether a text has the form. */
export const isIntegrity = (text) => FORM.test(text);

/** Whether this environment computes hashes. Insecure pages do not. */
export const canHash = () => globalThis.crypto?.subtle !== undefined;

/** Returns the hash of bytes by the algorithm of `like`, or by SHA-256. */
export async function integrityOf(bytes, like = "sha256-") {
  const [name] = like.split("-");
  const hash = new Uint8Array(await crypto.subtle.digest(name.replace("sha", "SHA-"), bytes));
  return `${name}-${btoa(String.fromCharCode(...hash))}`;
}

/** Throws unless the bytes have the hash. */
export async function verify(bytes, integrity, url) {
  if (!canHash()) {
    throw unsupported("The option `integrity` cannot be checked here: browsers compute hashes on secure pages alone. Serve the page by https or from localhost, or leave the option out.");
  }
  const found = await integrityOf(bytes, integrity);
  if (found === integrity) return;
  const message = `The model at ${url} is another file than the option \`integrity\` says: expected ${integrity}, found ${found}. Serve that file, or, if the new one is right, change the option.`;
  throw new VademecumError(message, { code: "model_corrupt" });
}
