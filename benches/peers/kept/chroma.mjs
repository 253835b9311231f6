// A Chroma server with the vectors beside a library. It is that of its Python package, whose module needs no other.

import { spawn } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { DIMENSIONS } from "../synthetic.mjs";
import { residentOf } from "./tab.mjs";

const RUN = "import sys; sys.path.insert(0, sys.argv[1]); import chromadb_rust_bindings as chroma; chroma.cli(['chroma', 'run', sys.argv[2]])";
/** Vectors that are added at once. */
const BATCH = 2000;
/** Texts in a passage. */
const SENTENCES = 8;
/** Milliseconds until the server has to answer. */
const PATIENCE = 60_000;

/**
 * Starts a server with an empty collection.
 * @param {{ module: string, python: string } | undefined} from the server's module, and the program that runs it
 * @param {string} work the folder for its files
 * @returns {Promise<any>} `{ url, collection, query, base, memory(), close() }`, or `{ missing }` with the reason
 */
export async function startChroma(from, work) {
  if (!from) return { missing: "its server could not be had" };
  const folder = fs.mkdtempSync(path.join(path.resolve(work), "chroma-"));
  const port = await freePort();
  const config = path.join(folder, "config.yaml");
  fs.writeFileSync(config, `port: ${port}\nlisten_address: "127.0.0.1"\npersist_path: ${JSON.stringify(path.join(folder, "data"))}\ncors_allow_origins: ["*"]\n`);
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(from.python, ["-c", RUN, path.dirname(from.module), config], { stdio: "ignore" });
  const is = () => fetch(`${url}/api/v2/heartbeat`).then(({ ok }) => ok, () => false);
  for (let waited = 0; !(await is()); waited += 50) {
    if (waited > PATIENCE) throw new Error("the Chroma server does not start");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const collections = `${url}/api/v2/tenants/default_tenant/databases/default_database/collections`;
  // The graph's settings are its own; vectors have length 1.
  const collection = "vectors";
  const { id } = await post(collections, { name: collection, configuration: { hnsw: { space: "ip" } } });
  return {
    url,
    collection,
    base: `${collections}/${id}`,
    query: `${collections}/${id}/query`,
    memory: () => residentOf(child.pid),
    async close() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await ended;
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Adds the vectors of a file, each named by its row; returns the seconds that it took. */
export async function fill({ base }, file) {
  const all = fs.openSync(file, "r");
  const bytes = Buffer.alloc(BATCH * DIMENSIONS * 4);
  const began = performance.now();
  for (let row = 0; ; ) {
    const read = fs.readSync(all, bytes, 0, bytes.length, row * DIMENSIONS * 4);
    if (read === 0) break;
    const vectors = Array.from({ length: read / (DIMENSIONS * 4) }, (_, at) => Array.from(new Float32Array(bytes.buffer, bytes.byteOffset + at * DIMENSIONS * 4, DIMENSIONS)));
    await post(`${base}/add`, { ids: vectors.map((_, at) => String(row + at)), embeddings: vectors });
    row += vectors.length;
  }
  fs.closeSync(all);
  return (performance.now() - began) / 1000;
}

/** Gives each of the vectors a passage of its own, which our package reads: some of the texts, one after the other. */
export async function addTexts({ base }, count, texts) {
  for (let row = 0; row < count; row += BATCH) {
    const rows = Array.from({ length: Math.min(BATCH, count - row) }, (_, at) => row + at);
    const documents = rows.map((row) => Array.from({ length: SENTENCES }, (_, at) => texts[(row + at) % texts.length]).join(" "));
    await post(`${base}/update`, { ids: rows.map(String), documents });
  }
}

async function post(url, body) {
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url}: HTTP ${response.status}: ${await response.text()}`);
  return response.json();
}

/** @returns {Promise<number>} */
function freePort() {
  const server = net.createServer();
  return new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => {
      const { port } = /** @type {net.AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    }),
  );
}
