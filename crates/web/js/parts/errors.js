// The errors of hosts and of parts, each with a remedy.

import { ended, VademecumError } from "../error.js";

/**
 * A file of a library on its host: its address, and how messages begin with it.
 * @typedef {{ what: string, url: string, missing: string }} Named
 */

/** How the manifest is called in messages, and the code of its absence. */
export const MANIFEST = { what: "The library's manifest", missing: "manifest_missing" };
/** The same of a part. */
export const PART = { what: "A part of the library", missing: "part_missing" };

/** @param {Named} file */
export const missing = ({ what, url, missing: code }, why) =>
  new VademecumError(`${what} is not at ${url}: ${why}. Publish the folder again, all files of it, or attach the address where it is now.`, { code });

/** @param {Named} file */
export const redirected = ({ what, url }) =>
  new VademecumError(`${what} was not read from ${url}: the host redirects elsewhere, which is not followed. Attach the final address, or name that of the parts by the option \`parts\`.`, { code: "redirected" });

/** The host answers, but not with the file. @param {Named} file @param {string} why @param {unknown} [cause] */
export const hostFailed = ({ what, url }, why, cause = undefined) =>
  new VademecumError(`${what} could not be read from ${url}: ${ended(why)}. Try again later, or look at the host.`, { code: "host_failed", retryable: true, cause });

/** Nothing answers: the device is offline, or the host, or a policy forbids it. @param {Named} file */
export function offline({ what, url }, thrown) {
  const why = globalThis.navigator?.onLine === false ? "this device is offline" : ended(causeOf(thrown));
  const message = `${what} could not be fetched from ${url}: ${why}. What this browser has stored of the library still answers; for the rest, go online, and let a host of another origin allow this page by CORS.`;
  return new VademecumError(message, { code: "offline", retryable: true, cause: thrown });
}

/** Node names the reason in the cause alone. */
const causeOf = (thrown) => thrown?.cause?.message || thrown?.message || String(thrown);

/** @param {Named} file */
export const damaged = ({ what, url }, why) =>
  new VademecumError(`${what} at ${url} is damaged: ${ended(why)}. It was asked for again past all caches. Publish the folder again, and let the host serve files as they are.`, { code: "part_damaged" });

/** The address has no manifest. */
export const manifestInvalid = (url, why) =>
  new VademecumError(`The manifest at ${url} is not one of a library in parts: ${ended(why)}. Attach the address of the \`manifest.json\` that \`vademecum build --parts\` wrote.`, { code: "manifest_invalid" });

/** The embedder is not the one by which the library was built. */
export const embedderMismatch = (library, given) =>
  new VademecumError(`The library's vectors were made by the embedder \`${library}\`, not by \`${given}\`. Attach with that embedder, or without one to search by words.`, { code: "embedder_mismatch" });

/** The library has no vectors. */
export const noVectors = () =>
  new VademecumError("The library has no vectors: it was built without an embedder. Search it with `mode: \"keyword\"`, or build it with one.", { code: "no_embedder" });

export const closedLibrary = () => new VademecumError("This library is closed. Attach it again with `attach(…)`.", { code: "closed" });

export const notKept = () =>
  new VademecumError("This browser gives the page no private files to keep a library in. Private windows and insecure pages may have none, and Node has none; `attach` works without.", { code: "storage_unavailable" });
