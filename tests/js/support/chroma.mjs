// The real server of Chroma, from its Python package, which set-up has fetched.

import { execFile, execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import http from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { listen } from "./listen.mjs";

const MODULE = process.env.VADEMECUM_CHROMA;
const PYTHON = process.env.VADEMECUM_PYTHON ?? "python3";

const RUN = "import sys; sys.path.insert(0, sys.argv[1]); import chromadb_rust_bindings as chroma; chroma.cli(['chroma', 'run', sys.argv[2]])";

/** Why tests that need the server are skipped, or false. */
export const skipped = missing();

function missing() {
  if (!MODULE || !existsSync(MODULE)) return "there is no Chroma server: `cargo xtask test e2e` fetches it where pip can, on Linux for x86-64";
  try {
    execFileSync(PYTHON, ["--version"], { stdio: "ignore" });
    return false;
  } catch {
    return "there is no Python, which runs the Chroma server";
  }
}

async function freePort() {
  const server = http.createServer();
  const { port } = new URL(await listen(server));
  await new Promise((resolve) => server.close(() => resolve(undefined)));
  return Number(port);
}

/** Starts a server with an empty database, which pages of all origins may ask. */
export async function startChroma() {
  const folder = await mkdtemp(path.join(tmpdir(), "vademecum-chroma-"));
  const port = await freePort();
  const config = path.join(folder, "config.yaml");
  await writeFile(config, `port: ${port}\nlisten_address: "127.0.0.1"\npersist_path: ${JSON.stringify(path.join(folder, "data"))}\ncors_allow_origins: ["*"]\n`);
  const url = `http://127.0.0.1:${port}`;
  let child;
  const is = () => fetch(`${url}/api/v2/heartbeat`).then(({ ok }) => ok, () => false);
  async function start() {
    child = spawn(PYTHON, ["-c", RUN, path.dirname(/** @type {string} */ (MODULE)), config], { stdio: "ignore" });
    for (let waited = 0; !(await is()); waited += 50) {
      if (waited > 30_000) throw new Error("the Chroma server does not start");
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  async function stop() {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
  }
  await start();
  return {
    url,
    start,
    stop,
    async close() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Starts a proxy that passes requests on after `delay.ms` milliseconds. */
export async function startSlow(target) {
  const delay = { ms: 0 };
  const server = http.createServer(async (request, response) => {
    if (request.method !== "OPTIONS") await new Promise((resolve) => setTimeout(resolve, delay.ms));
    const onward = http.request(new URL(request.url ?? "/", target), { method: request.method, headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  const url = await listen(server);
  return { url, delay, close: () => (server.closeAllConnections(), server.close()) };
}

/** Runs the program `vademecum`, and returns what it prints as JSON. */
export async function program(...given) {
  const { stdout } = await promisify(execFile)(/** @type {string} */ (process.env.VADEMECUM_PROGRAM), [...given, "--json"], { maxBuffer: 1 << 26 }).catch((error) => error);
  return JSON.parse(stdout);
}
