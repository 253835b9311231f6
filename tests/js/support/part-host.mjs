// A static host of a folder of files in memory, which behaves badly as a test says.

import http from "node:http";
import { gzipSync } from "node:zlib";
import { listen } from "./listen.mjs";

const PAGE = "<!doctype html><html><title>Not found</title><p>There is nothing here.</p></html>";

/**
 * Starts a host. `host.files` has contents by path, `host.seen` what was asked for since the last `host.since()`. `host.rule(path, how)` makes
 * the next requests of a path, or of all (`"*"`), behave otherwise; each `how` is used once, the last one always:
 * `ok`, `noRange`, `page`, `gzipTwice`, `cut`, `stale` (bytes of another file unless a cache is passed by), `redirect:URL`, `otherRange`,
 * `short` (cut without a sign of it), `silent`, `close`, a status, or `{ status, headers }`.
 */
export async function startHost(files = {}) {
  const rules = new Map();
  const host = { files: new Map(Object.entries(files)), seen: /** @type {{ path: string, range?: string, fresh: boolean }[]} */ ([]), atOnce: 0, most: 0, delay: 0, honoursRange: true };
  const next = (path) => {
    const all = rules.get(path) ?? rules.get("*");
    return all ? (all.length > 1 ? all.shift() : all[0]) : "ok";
  };
  const server = http.createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://host.invalid").pathname);
    const { range } = request.headers;
    const isFresh = request.headers["cache-control"] === "no-cache";
    host.seen.push({ path, ...(range && { range }), fresh: isFresh });
    host.atOnce++;
    host.most = Math.max(host.most, host.atOnce);
    response.on("close", () => host.atOnce--);
    if (host.delay) await new Promise((resolve) => setTimeout(resolve, host.delay));
    answer(host, response, { path, range, isFresh, how: next(path) });
  });
  const address = await listen(server);
  return Object.assign(host, {
    address,
    /** Sets how requests are answered; without `how`, as usual again. */
    rule: (path, ...how) => void (how.length > 0 ? rules.set(path, how) : rules.delete(path)),
    reset() {
      rules.clear();
      Object.assign(host, { seen: [], most: 0, delay: 0, honoursRange: true });
    },
    /** Returns the requests since the last call. */
    since: () => host.seen.splice(0),
    close: () => (server.closeAllConnections(), server.close()),
  });
}

function answer(host, response, { path, range, isFresh, how }) {
  const file = host.files.get(path);
  const headers = { "content-type": path.endsWith(".json") ? "application/json" : "application/octet-stream", "access-control-allow-origin": "*" };
  if (typeof how === "number") return response.writeHead(how, { "content-type": "text/plain" }).end("no");
  if (typeof how === "object") return response.writeHead(how.status, how.headers).end("no");
  if (how.startsWith("redirect:")) return response.writeHead(302, { location: how.slice(9) }).end();
  if (how === "silent") return undefined;
  if (how === "close") return response.destroy();
  if (how === "page") return response.writeHead(200, { "content-type": "text/html" }).end(PAGE);
  if (how === "untypedPage") return response.writeHead(200, headers).end(PAGE);
  if (!file) return response.writeHead(404, { "content-type": "text/plain" }).end("not here");
  let body = file;
  if (how === "stale" && !isFresh) body = Buffer.from(file.map((byte) => byte ^ 0x55));
  if (how === "alwaysStale") body = Buffer.from(file.map((byte) => byte ^ 0x55));
  if (how === "gzipTwice") {
    const twice = gzipSync(gzipSync(body));
    return response.writeHead(200, { ...headers, "content-encoding": "gzip", "content-length": twice.length }).end(twice);
  }
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range ?? "") ?? [];
  if (from !== undefined && host.honoursRange && how !== "noRange") {
    const start = Number(from) + (how === "otherRange" ? 7 : 0);
    const end = Math.min(Number(to) + 1, body.length);
    if (start >= body.length) return response.writeHead(416, { "content-range": `bytes */${body.length}` }).end();
    const part = body.subarray(start, end);
    if (how === "short") return response.writeHead(206, { ...headers, "content-range": `bytes ${start}-${end - 1}/${body.length}` }).end(part.subarray(0, part.length / 2));
    response.writeHead(206, { ...headers, "content-range": `bytes ${start}-${end - 1}/${body.length}`, "content-length": part.length });
    return how === "cut" ? cutOff(response, part) : response.end(part);
  }
  response.writeHead(200, { ...headers, "content-length": body.length });
  return how === "cut" ? cutOff(response, body) : response.end(body);
}

function cutOff(response, body) {
  response.write(body.subarray(0, Math.floor(body.length / 2)));
  setTimeout(() => response.destroy(), 20);
}
