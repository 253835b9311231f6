// A forward proxy for all requests of the browser: maps names to local servers, refuses all others, and records each. It also
// receives requests that a page's own events do not show, from any thread and from beacons.

import http from "node:http";
import { listen } from "./listen.mjs";

/** @param drop a header to remove from every response */
export async function startProxy(routes, drop = null) {
  const seen = []; // { origin, path } of every request, including refused ones
  const held = new Map(); // promises by path: requests wait for them
  const server = http.createServer(async (request, response) => {
    const url = new URL(request.url, "http://no-host.invalid");
    seen.push({ origin: url.origin, path: url.pathname });
    const target = routes[url.host];
    if (!target) return response.writeHead(502).end("refused");
    await held.get(url.pathname);
    const options = { method: request.method, headers: { ...request.headers, host: new URL(target).host } };
    const onward = http.request(new URL(url.pathname + url.search, target), options, (answer) => {
      if (drop) delete answer.headers[drop];
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    request.pipe(onward);
  });
  server.on("connect", (request, socket) => {
    seen.push({ origin: `https://${request.url}`, path: "" });
    socket.on("error", () => {});
    socket.end("HTTP/1.1 502 Refused\r\n\r\n");
  });
  const address = await listen(server);
  return {
    address,
    seen,
    /** Keeps requests of a path waiting until the returned function is called. */
    hold(path) {
      let letGo = () => {};
      held.set(path, new Promise((resolve) => (letGo = () => resolve(undefined))));
      return letGo;
    },
    close: () => (server.closeAllConnections(), server.close()),
  };
}
