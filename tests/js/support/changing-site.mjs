// A proxy of the site that changes files, fails requests and records them.

import { createHash } from "node:crypto";
import http from "node:http";
import { listen } from "./listen.mjs";

const PAGE = process.env.VADEMECUM_PAGE;

/**
 * Starts the proxy. `site.change(name, edit)` replaces the content of a file and its hash in `files.json`; requests for names in
 * `site.broken` fail; `site.told` contains the URLs and referrers of all requests.
 */
export async function startSite({ headers: more = {} } = {}) {
  const changed = new Map();
  const site = { broken: new Set(), asked: [], told: [] };
  const server = http.createServer(async (request, response) => {
    const name = new URL(request.url, PAGE).pathname.slice(1);
    site.asked.push(name);
    site.told.push(request.url, ...[request.headers.referer].filter(Boolean));
    if (site.broken.has(name)) return response.destroy();
    const original = await fetch(new URL(name, PAGE));
    const headers = { "content-type": original.headers.get("content-type") ?? "application/octet-stream", "cache-control": "no-cache", ...more };
    const body = changed.get(name || "index.html") ?? Buffer.from(await original.arrayBuffer());
    response.writeHead(original.status, headers).end(body);
  });
  const address = await listen(server);
  const textOf = async (name) => changed.get(name) ?? (await (await fetch(new URL(name, PAGE))).text());
  return Object.assign(site, {
    address,
    async change(name, edit, /** @type {{ hash?: string }} */ { hash } = {}) {
      const text = edit(await textOf(name));
      changed.set(name, text);
      const list = JSON.parse(await textOf("files.json"));
      list[name] = hash ?? createHash("sha256").update(text).digest("hex").slice(0, 16);
      changed.set("files.json", JSON.stringify(list));
    },
    close: () => (server.closeAllConnections(), server.close()),
  });
}
