// What is published beside a model: files that are not there are no error, files that cannot be read are.

import assert from "node:assert/strict";
import http from "node:http";
import { after, before, test } from "node:test";
import { optionalFile } from "../../../crates/web/js/model-files.js";
import { published } from "../../../crates/web/js/published.js";
import { listen } from "../support/listen.mjs";

const CLS = JSON.stringify({ pooling_mode_cls_token: true });
const MODULES = JSON.stringify([{ type: "sentence_transformers.models.Dense", path: "2_Dense" }]);
const FILES = { "/cls/1_Pooling/config.json": CLS, "/cut/1_Pooling/config.json": CLS.slice(0, 10), "/page/1_Pooling/config.json": "<!doctype html>", "/broken/1_Pooling/config.json": CLS };

let server;
let base;

before(async () => {
  server = http.createServer(({ url, socket }, response) => {
    if (url === "/down/1_Pooling/config.json" || url === "/broken/modules.json") return socket.destroy();
    if (url === "/busy/1_Pooling/config.json") return response.writeHead(503).end();
    response.writeHead(FILES[url] ? 200 : 404).end(FILES[url] ?? MODULES);
  });
  base = await listen(server);
});
after(() => server.close());

const of = (folder) =>
  published(`${base}/${folder}/model.onnx`, {
    required: async (url) => new Uint8Array(await (await fetch(url)).arrayBuffer()),
    optional: async (url) => (await optionalFile({ url }, {}))?.bytes ?? null,
  });

test("the pooling is that of the file, and none without it or with a page in its place", async () => {
  assert.equal((await of("cls")).pooling, "cls");
  assert.deepEqual([await of("nothing"), await of("page")], [{}, {}]);
});

for (const [folder, code] of [["down", "model_unavailable"], ["busy", "model_unavailable"], ["broken", "model_unavailable"], ["cut", "model_corrupt"]]) {
  test(`a configuration that cannot be read is an error, not an absent one: ${folder}`, async () => {
    await assert.rejects(of(folder), ({ code: is, message }) => is === code && message.includes(`${base}/${folder}/`));
  });
}
