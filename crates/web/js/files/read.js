// Reads files to documents: office documents, spreadsheets, presentations, mails, books, tables and records.

import { attach } from "../attach.js";
import { isBlob } from "../blob.js";
import { bytes as binary } from "../document-kinds.js";
import { invalid, unsupported, VademecumError } from "../error.js";
import { FILE_TYPES } from "../generated/file-types.js";
import { READ_FILE_OPTIONS } from "../generated/files-table.js";
import { hasWorkers } from "../has-workers.js";
import { checked, shown, text } from "../options.js";
import { filesModule } from "./module.js";

export { FILE_TYPES };

/** Milliseconds that a file may take. */
const PATIENCE = 120_000;
/** Milliseconds after which a worker without work is ended: its memory never shrinks. */
const IDLE = 30_000;

// Bundlers look for the literal expression `new Worker(…)`: it must not be changed.
const spawn = () => attach(() => new Worker(new URL("./page-worker.js", import.meta.url), { type: "module" }), "file", {}, undefined, () => (reader = null));

/** @type {{ call: any, terminate: any } | null} */
let reader = null;
let reading = 0;
let idle;

/** Returns the type of a file by its name, or null if it is none that can be read. */
export function typeOfFile(name) {
  const ending = /\.([^./\\]+)$/.exec(text("name", name))?.[1].toLowerCase();
  return Object.keys(FILE_TYPES).find((type) => FILE_TYPES[type].endings.includes(ending)) ?? null;
}

/** Returns the documents of a file, and remarks about how it was read. */
export async function readFile(file, options) {
  const { id, name = file?.name, signal } = checked("readFile", options, READ_FILE_OPTIONS);
  const given = binary("file", file);
  if (typeof name !== "string" || name.trim() === "") throw invalid("readFile.name", "the name of the file, by which its type is known", shown(name));
  const kind = typeOfFile(name);
  if (!kind) throw unsupported(`${name} is of no type that can be read. Types are ${Object.values(FILE_TYPES).flatMap(({ endings }) => endings.slice(0, 1)).join(", ")}, and source code.`);
  const { maxBytes } = FILE_TYPES[kind];
  const size = given.size ?? given.byteLength;
  if (size > maxBytes) throw new VademecumError(`${name} has ${mb(size)} MB; a file of type ${kind} may have up to ${mb(maxBytes)} MB. Split it into parts.`, { code: "file_too_large" });
  const bytes = isBlob(given) ? new Uint8Array(await contentOf(given, name)) : given.slice();
  const { documents, notes, refusal } = JSON.parse(await read({ id: id ?? name, kind, bytes }, signal));
  if (refusal) throw new VademecumError(refusal.message, { code: refusal.code });
  return { documents, notes };
}

/** Reads in a worker, which is ended if a file makes it crash or takes too long; in place where there are no workers. */
async function read(request, signal) {
  if (!hasWorkers) return (await filesModule()).readFile(request.id, request.kind, request.bytes);
  clearTimeout(idle);
  reading += 1;
  const own = (reader ??= spawn());
  const late = new VademecumError(`Reading it took more than ${PATIENCE / 1000} seconds. Split it, or save it again from the program that it is of.`, { code: "file_unfinished" });
  const timer = setTimeout(() => ended(own, late), PATIENCE);
  try {
    return await own.call("read", request, { signal, transfer: [request.bytes.buffer] });
  } catch (error) {
    // A trap leaves the module unusable.
    if (error.code === "internal") ended(own);
    if (error.code === "internal" || (error.code === "worker_failed" && /memory|RuntimeError|unreachable/.test(error.message))) {
      throw new VademecumError("Its reader crashed. If the program that it is of opens it, save it again from there.", { code: "file_damaged", cause: error });
    }
    throw error;
  } finally {
    clearTimeout(timer);
    reading -= 1;
    if (reading === 0) idle = setTimeout(() => ended(own), IDLE);
  }
}

function ended(own, why) {
  if (reader === own) reader = null;
  own.terminate(why);
}

async function contentOf(file, name) {
  try {
    return await file.arrayBuffer();
  } catch (cause) {
    throw new VademecumError(`${name} could not be read (${cause.message}). It may have been moved or changed; add it again.`, { code: "file_unreadable", retryable: true, cause });
  }
}

const mb = (bytes) => Math.ceil(bytes / 2 ** 20);
