// A static host on loopback that counts what it sends: scripts and modules compressed as hosts do, parts as they are, by range. It may send over
// a slow line.

import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { lineOf } from "./line.mjs";

const TYPES = { html: "text/html; charset=utf-8", js: "text/javascript; charset=utf-8", mjs: "text/javascript; charset=utf-8", wasm: "application/wasm", json: "application/json" };
/** Bytes of an answer's status and headers, roughly: they are counted apart from the body by nobody, and are the same for both. */
const COMPRESSED = ["html", "js", "wasm", "json"];

/**
 * @param folders beginnings of addresses with the folder that lies there; of `/whole/`, ranges are ignored
 * @returns `{ origin, count(), slow(line), close }`: `count` returns `{ requests, bytes }` by the beginning of the address since its last call;
 *   `slow` has all that follows sent over a line of `{ bits, roundTrip }`
 */
export async function startHost(folders) {
  const sent = {};
  const compressed = new Map();
  let send = (response, body) => void response.end(body);
  const note = (start, bytes) => {
    sent[start] ??= { requests: 0, bytes: 0 };
    sent[start].requests++;
    sent[start].bytes += bytes;
  };
  const server = http.createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const start = Object.keys(folders).find((one) => pathname.startsWith(one));
    const file = start && path.join(folders[start], decodeURIComponent(pathname.slice(start.length)));
    if (!file || pathname.includes("..") || !fs.statSync(file, { throwIfNoEntry: false })?.isFile()) return response.writeHead(404).end();
    const kind = path.extname(file).slice(1);
    const headers = { "content-type": TYPES[kind] ?? "application/octet-stream", "cache-control": kind === "json" ? "no-cache" : "max-age=600" };
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
    if (from !== undefined && start !== "/whole/") {
      const { body, length } = rangeOf(file, Number(from), Number(to) + 1);
      note(start, body.length);
      response.writeHead(206, { ...headers, "content-range": `bytes ${from}-${Number(from) + body.length - 1}/${length}`, "content-length": body.length });
      return send(response, body);
    }
    let body = fs.readFileSync(file);
    if (COMPRESSED.includes(kind) && /\bbr\b/.test(String(request.headers["accept-encoding"]))) {
      if (!compressed.has(file)) compressed.set(file, brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: body.length } }));
      body = compressed.get(file);
      headers["content-encoding"] = "br";
    }
    note(start, body.length);
    response.writeHead(200, { ...headers, "content-length": body.length });
    send(response, body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    origin: `http://localhost:${port}`,
    count() {
      const since = structuredClone(sent);
      for (const start of Object.keys(sent)) delete sent[start];
      return since;
    },
    slow(line) {
      send = lineOf(line);
    },
    close: () => (server.closeAllConnections(), server.close()),
  };
}

/** Reads bytes of a file, which may be larger than memory. */
function rangeOf(file, start, end) {
  const descriptor = fs.openSync(file, "r");
  try {
    const length = fs.fstatSync(descriptor).size;
    const body = Buffer.alloc(Math.max(0, Math.min(end, length) - start));
    fs.readSync(descriptor, body, 0, body.length, start);
    return { body, length };
  } finally {
    fs.closeSync(descriptor);
  }
}
