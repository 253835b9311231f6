// A host in front of another one that compresses texts, as static hosts do: the tests' own server does not.

import http from "node:http";
import { gzipSync } from "node:zlib";
import { listen } from "./listen.mjs";

const IS_TEXT = /^(text\/|application\/(json|wasm|manifest\+json)|image\/svg)/;

/** @param {string} host the address of the other one */
export async function startCompressing(host) {
  const server = http.createServer(async ({ url, method }, response) => {
    try {
      const answer = await fetch(new URL(/** @type {string} */ (url), host), { method });
      const type = answer.headers.get("content-type") ?? "";
      const body = Buffer.from(await answer.arrayBuffer());
      const headers = { "content-type": type, "cache-control": "no-cache" };
      if (IS_TEXT.test(type)) response.writeHead(answer.status, { ...headers, "content-encoding": "gzip" }).end(gzipSync(body));
      else response.writeHead(answer.status, headers).end(body);
    } catch (error) {
      response.writeHead(502).end(String(error));
    }
  });
  return { address: await listen(server), close: () => (server.closeAllConnections(), server.close()) };
}
