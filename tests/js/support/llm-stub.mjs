// An OpenAI-compatible endpoint whose behaviour a test chooses: correct, faulty, or without a reply.

import http from "node:http";
import { listen } from "./listen.mjs";

const piece = (text) => `data: ${JSON.stringify({ choices: [{ delta: { content: text } }] })}\n\n`;

/** @type {Record<string, (response: any, answer: string, go: Promise<unknown>, said: any) => unknown>} */
const behaviours = {
  json: (response, answer) =>
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ choices: [{ message: { content: answer } }], usage: { prompt_tokens: 200, completion_tokens: 12 } })),
  /** Sends the value that the test's `reply` returns for the request: text, or a message with tool calls. */
  script(response, answer, go, said) {
    const message = typeof said === "string" ? { content: said } : said;
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ choices: [{ message }], usage: { prompt_tokens: 100, completion_tokens: 10 } }));
  },
  /** Sends the first words, waits for the test's signal, and sends the rest. */
  async stream(response, answer, go) {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const words = answer.split(/(?<= )/);
    words.slice(0, 2).forEach((word) => response.write(piece(word)));
    await go;
    words.slice(2).forEach((word) => response.write(piece(word)));
    response.end("data: [DONE]\n\n");
  },
  fail: (response) =>
    response.writeHead(500, { "content-type": "application/json" }).end('{"error":{"message":"out of memory"}}'),
  unauthorised: (response) => response.writeHead(401).end('{"error":{"message":"bad key"}}'),
  hang: (response) => response.writeHead(200, { "content-type": "text/event-stream" }).write(piece("Beginning ")),
  unknown: (response) => response.writeHead(404, { "content-type": "application/json" }).end('{"error":{"message":"model \\"stub-model\\" not found, try pulling it first"}}'),
  missing: (response) => response.writeHead(404, { "content-type": "text/plain" }).end("404 page not found"),
  busy: (response) => response.writeHead(429, { "content-type": "application/json" }).end('{"error":{"message":"quota used up"}}'),
  other: (response) => response.writeHead(200, { "content-type": "application/json" }).end('{"hello":"world"}'),
  text: (response) => response.writeHead(200, { "content-type": "text/html" }).end("<h1>It works!</h1>"),
};

export async function startLlm() {
  const requests = [];
  /** @type {any} */
  const stub = { behaviour: "json", answer: "The value was moved [1].", requests, gone: 0, go: Promise.resolve(), cors: true, models: [], reply: () => stub.answer };
  const server = http.createServer(async (request, response) => {
    if (stub.cors) {
      response.setHeader("access-control-allow-origin", "*");
      response.setHeader("access-control-allow-headers", "*");
    }
    if (request.method === "OPTIONS") return response.writeHead(204).end();
    if (request.method === "GET") {
      const listed = { object: "list", data: stub.models.map((id) => ({ id, object: "model" })) };
      return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(listed));
    }
    let body = "";
    for await (const part of request) body += part;
    requests.push({ path: request.url, key: request.headers.authorization, body: JSON.parse(body) });
    response.on("close", () => response.writableEnded || stub.gone++);
    behaviours[stub.behaviour](response, stub.answer, stub.go, stub.behaviour === "script" ? stub.reply(requests.at(-1).body) : null);
  });
  stub.address = await listen(server);
  stub.close = () => (server.closeAllConnections(), server.close());
  return stub;
}
