// A small HTTP server that answers as a test says, and keeps what it was asked.

import { createServer } from "node:http";

/** @typedef {{ status?: number, headers?: Record<string, string>, json?: unknown, text?: string, after?: number, cut?: boolean }} Answer */

/**
 * Starts a server. `answer` is called with each request, and returns what is answered: JSON or text, a pause in milliseconds before it, or
 * `cut`, which ends the connection in the middle of the body; null never answers.
 * @param {(request: { method: string, path: string, body: any, headers: any, at: number }) => Answer | null} answer
 */
export async function startScripted(answer) {
  const requests = [];
  const server = createServer((request, response) => {
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", async () => {
      const text = Buffer.concat(parts).toString();
      const asked = { method: request.method ?? "", path: request.url ?? "", body: text ? JSON.parse(text) : undefined, headers: request.headers, at: performance.now() };
      requests.push(asked);
      const said = answer(asked);
      if (!said) return;
      if (said.after) await new Promise((resolve) => setTimeout(resolve, said.after));
      const body = said.text ?? JSON.stringify(said.json ?? {});
      const type = said.text === undefined ? "application/json" : "text/html";
      response.writeHead(said.status ?? 200, { "content-type": type, "access-control-allow-origin": "*", ...said.headers, ...(said.cut && { "content-length": String(body.length + 10) }) });
      response.write(body, () => (said.cut ? response.destroy() : response.end()));
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
