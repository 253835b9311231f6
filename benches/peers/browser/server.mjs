// A static file server on loopback for the pages of the comparisons: every engine's files come from the same one.

import fs from "node:fs";
import http from "node:http";
import path from "node:path";

const TYPES = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  mjs: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  json: "application/json",
  svg: "image/svg+xml",
  wasm: "application/wasm",
};

/**
 * @param pages addresses with what stands there, as bytes
 * @param folders beginnings of addresses with the folder, or the one file, that lies there
 */
export async function startServer(pages, folders) {
  let sent = 0;
  const server = http.createServer(({ url }, response) => {
    const { pathname } = new URL(url, "http://localhost");
    const kind = TYPES[pathname.split(".").at(-1)] ?? "application/octet-stream";
    // As static hosts do: a second worker that wants the model finds it in the browser's cache.
    const headers = { "content-type": kind, "cache-control": "max-age=600" };
    const page = pages.get(pathname);
    if (page) {
      sent += page.byteLength;
      return response.writeHead(200, { ...headers, "content-length": page.byteLength }).end(page);
    }
    const file = fileAt(pathname, folders);
    if (!file) return response.writeHead(404).end();
    response.writeHead(200, { ...headers, "content-length": fs.statSync(file).size });
    fs.createReadStream(file).on("data", (part) => void (sent += part.length)).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    origin: `http://127.0.0.1:${port}`,
    sent: () => sent,
    close: () => (server.closeAllConnections(), server.close()),
  };
}

function fileAt(pathname, folders) {
  const [start, folder] = folders.find(([start]) => pathname.startsWith(start)) ?? [];
  if (!folder || pathname.includes("..")) return null;
  const file = path.join(folder, decodeURIComponent(pathname.slice(start.length)));
  return fs.statSync(file, { throwIfNoEntry: false })?.isFile() ? file : null;
}
