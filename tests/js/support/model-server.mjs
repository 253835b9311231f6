// A server of the sample model and of a tiny one, which counts requests and can be changed by tests.

import http from "node:http";
import { TINY_TOKENIZER, tinyOnnx } from "./tiny-onnx.mjs";
import { listen } from "./listen.mjs";

const MODEL = "models/all-minilm-l6-v2/";

/**
 * Starts the server. `files` maps paths to contents; `asked` lists requests such as `GET /tiny/model.onnx`. While `isDown`, connections
 * are refused; `refused` methods are answered with 405; `version` is part of every ETag; `pace()` is awaited before every quarter of a
 * model's body.
 */
export async function startModels() {
  const real = async (name) => Buffer.from(await (await fetch(new URL(MODEL + name, process.env.VADEMECUM_PAGE))).arrayBuffer());
  const files = {
    "/tiny/model.onnx": tinyOnnx(),
    "/tiny/tokenizer.json": Buffer.from(TINY_TOKENIZER),
    "/real/model.onnx": await real("model.onnx"),
    "/real/tokenizer.json": await real("tokenizer.json"),
  };
  const models = { files, asked: [], isDown: false, refused: new Set(), version: 1, pace: /** @type {null | (() => Promise<void>)} */ (null) };
  const server = http.createServer(async (request, response) => {
    const { method, url } = request;
    models.asked.push(`${method} ${url}`);
    if (models.isDown) return response.destroy();
    const allowed = { "access-control-allow-origin": "*", "access-control-expose-headers": "etag" };
    const file = files[url];
    if (models.refused.has(method) || !file) return response.writeHead(file ? 405 : 404, allowed).end();
    response.writeHead(200, { ...allowed, "content-length": file.length, etag: `"${file.length}-${models.version}"`, "cache-control": "no-store" });
    if (method === "HEAD") return response.end();
    if (!models.pace || !url.endsWith(".onnx")) return response.end(file);
    for (let part = 0; part < 4 && !response.destroyed; part++) {
      response.write(file.subarray((part * file.length) >> 2, ((part + 1) * file.length) >> 2));
      await models.pace?.(); // a test may have ended it
    }
    response.end();
  });
  const address = await listen(server);
  return Object.assign(models, {
    address,
    /** Returns the requests since the last call, sorted. */
    since: () => models.asked.splice(0).sort(),
    close: () => (server.closeAllConnections(), server.close()),
  });
}
