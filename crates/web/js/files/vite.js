// A plugin of Vite that builds a library of files, serves it while the site is developed, and adds it to the site's output.

import { mkdir, readFile, stat } from "node:fs/promises";
import { createReadStream } from "node:fs";
import path from "node:path";
import { checked, text } from "../options.js";
import { BUILD_OPTIONS } from "../generated/build-table.js";
import { build } from "./index.js";

/** Options that the plugin sets itself. */
const { out: _out, signal: _signal, ...KINDS } = BUILD_OPTIONS;

/** Adds a library that is made of files to a site: `file` is its name in the output. */
export function library(options) {
  const { file, ...given } = checked("library", options, { file: text, ...KINDS });
  text("library.file", file);
  /** @type {any} */
  let config;
  let out = "";
  /** @type {Promise<unknown> | null} */
  let building = null;

  /** Builds the library, and tells what is not in it. One build at a time: a change meanwhile begins another. */
  const make = () =>
    (building = (building ?? Promise.resolve()).catch(() => {}).then(async () => {
      await mkdir(path.dirname(out), { recursive: true });
      const report = await build({ ...given, paths: given.paths.map((one) => path.resolve(config.root, one)), out });
      for (const { file: name, message, code } of report.notAdded) config.logger.warn(`vademecum: ${name} was not added: ${message} (${code})`);
      const { documents, chunks, vectors } = report;
      config.logger.info(`vademecum: ${file} has ${documents} documents, ${chunks} passages, ${vectors} vectors`);
      if (report.bytes === 0) throw new Error(`vademecum: there is nothing to search in ${given.paths.join(", ")}, so ${file} was not built.`);
    }));

  return {
    name: "vademecum",
    configResolved(resolved) {
      config = resolved;
      // Kept between builds, so that unchanged passages are not embedded again; never within the output, where the record would be published.
      out = path.join(config.cacheDir, "vademecum", encodeURIComponent(file));
    },
    async buildStart() {
      if (config.command === "build") await make();
    },
    async generateBundle() {
      // The output for the server has no use for it.
      if (config.command !== "build" || config.build.ssr) return;
      /** @type {any} */ (this).emitFile({ type: "asset", fileName: file, source: await readFile(out) });
    },
    configureServer(server) {
      make().catch((error) => config.logger.error(error.message));
      const watched = given.paths.map((one) => path.resolve(config.root, one));
      server.watcher.add(watched);
      let timer;
      const changed = (name) => {
        if (!watched.some((folder) => name === folder || name.startsWith(folder + path.sep))) return;
        clearTimeout(timer);
        timer = setTimeout(() => make().catch((error) => config.logger.error(error.message)), 200);
      };
      for (const event of ["add", "change", "unlink"]) server.watcher.on(event, changed);
      server.middlewares.use(async (request, response, next) => {
        const { pathname } = new URL(request.url, "http://localhost");
        if (pathname !== config.base + file) return next();
        try {
          await building;
          const { size } = await stat(out);
          response.writeHead(200, { "content-type": "application/octet-stream", "content-length": size, "cache-control": "no-cache" });
          createReadStream(out).pipe(response);
        } catch (error) {
          next(error);
        }
      });
    },
  };
}
