// A static host on loopback that serves folders under paths.

import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import http from "node:http";
import path from "node:path";
import { listen } from "./listen.mjs";

const TYPES = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  mjs: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
  txt: "text/plain; charset=utf-8",
  wasm: "application/wasm",
};

/** Returns the file of an address in the folder with the longest matching path, or null if it is outside of the folder. */
async function fileOf(folders, address) {
  const asked = decodeURIComponent(new URL(address, "http://host.invalid").pathname);
  const under = Object.keys(folders).filter((mount) => asked.startsWith(mount)).sort((a, b) => b.length - a.length)[0];
  if (under === undefined) return null;
  const folder = path.resolve(folders[under]);
  let file = path.join(folder, asked.slice(under.length));
  if (file !== folder && !file.startsWith(folder + path.sep)) return null;
  const about = (name) => stat(name).catch(() => null);
  if ((await about(file))?.isDirectory()) file = path.join(file, "index.html");
  const size = (await about(file))?.size;
  return size === undefined ? null : { file, size, type: TYPES[path.extname(file).slice(1)] ?? "application/octet-stream" };
}

/** @param folders such as `{ "/": "dist", "/models/": "public/models" }` */
export async function startStatic(folders, headers = {}) {
  const server = http.createServer(async (request, response) => {
    const found = await fileOf(folders, request.url);
    if (!found) return response.writeHead(404, { "content-type": "text/plain" }).end("Not found");
    response.writeHead(200, {
      "content-type": found.type,
      "content-length": found.size,
      "x-content-type-options": "nosniff",
      ...headers,
    });
    createReadStream(found.file).pipe(response);
  });
  const address = await listen(server);
  return {
    address: `${address}/`,
    close: () => (server.closeAllConnections(), server.close()),
  };
}
