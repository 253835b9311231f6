// Headless Chromium, the pages of the comparisons and what they load. Pages are bundled by esbuild, as users do; our workers and
// modules are served as they were built.

import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { chromium } from "playwright-core";
import { startServer } from "./server.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const modules = path.join(here, "../node_modules");

/** What transformers.js wants to find beside a model; everything else it reads of `tokenizer.json`. */
const CONFIG = {
  model_type: "bert",
  architectures: ["BertModel"],
  hidden_size: 384,
  num_hidden_layers: 6,
  num_attention_heads: 12,
};
const TOKENIZER_CONFIG = {
  tokenizer_class: "BertTokenizer",
  model_max_length: 128, // where our encoder cuts
  do_lower_case: true,
  unk_token: "[UNK]",
  sep_token: "[SEP]",
  pad_token: "[PAD]",
  cls_token: "[CLS]",
  mask_token: "[MASK]",
};

/** A slow page is measured, too. */
const PATIENCE = 600_000;

/**
 * @param site the folder of the built demo, with the package, the model and the sample library in it
 * @param made addresses with the text that stands there
 */
export async function startBrowser(site, made = {}) {
  const model = path.join(site, "models/all-minilm-l6-v2");
  const pages = await bundled(site);
  const texts = {
    ...made,
    "/favicon.ico": "",
    "/hub/minilm/config.json": JSON.stringify(CONFIG),
    "/hub/minilm/tokenizer_config.json": JSON.stringify(TOKENIZER_CONFIG),
  };
  for (const [address, text] of Object.entries(texts)) pages.set(address, bytes(text));
  const server = await startServer(pages, [
    ["/site/", site],
    ["/hub/minilm/onnx/model_quantized.onnx", path.join(model, "model.onnx")],
    ["/hub/minilm/tokenizer.json", path.join(model, "tokenizer.json")],
    ["/runtime/", path.join(modules, "onnxruntime-web/dist")],
  ]);
  const browser = await chromium.launch({
    executablePath: executable(),
    args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update"],
  });
  return {
    open: (address, options) => open(browser, server, address, options),
    async close() {
      await browser.close();
      server.close();
    },
  };
}

/** A page in a context of its own, whose caches are empty. What goes wrong in it, or leaves the origin, ends the comparison. */
async function open(browser, { origin, sent }, address, /** @type {{ before?: any }} */ { before } = {}) {
  const start = sent();
  const context = await browser.newContext();
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  const complaints = [];
  context.on("request", (request) => {
    if (/^http/.test(request.url()) && !request.url().startsWith(origin)) complaints.push(`${request.url()} was asked for`);
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  const failed = new Promise((_, reject) => page.on("pageerror", reject));
  failed.catch(() => {}); // whoever waits on the page is told
  if (before) await page.addInitScript(before);
  await page.goto(origin + address, { waitUntil: "commit" });
  return {
    page,
    /** Bytes it was sent so far. */
    received: () => sent() - start,
    /** Never resolves; rejects with the first error that nobody on the page caught. */
    failed,
    /** What a function returns on the page. */
    ask: (what, argument) => Promise.race([page.evaluate(what, argument), failed]),
    async close() {
      await context.close();
      if (complaints.length > 0) throw new Error(complaints.join("\n"));
    },
  };
}

/** Pages that import our package: they are bundled with it, and served from the folder of its workers and modules. */
const OURS = { pattern: /^hit-vademecum/, folder: "/site/vademecum/" };

/** The modules in `pages/`, each with a page around it. */
async function bundled(site) {
  const folder = path.join(here, "pages");
  const names = fs.readdirSync(folder).filter((file) => file.endsWith(".js"));
  const [ours, others] = [true, false].map((is) => names.filter((name) => OURS.pattern.test(name) === is));
  const ofSite = {
    name: "site",
    setup: ({ onResolve }) => onResolve({ filter: /^\/site\// }, ({ path: address }) => ({ path: path.join(site, address.slice("/site".length)) })),
  };
  const scripts = new Map([
    ...(await scriptsOf("/", { entryPoints: others, external: ["/site/*"] })),
    ...(await scriptsOf(OURS.folder, { entryPoints: ours, plugins: [ofSite], splitting: true })),
  ]);
  const pages = new Map(scripts);
  for (const address of scripts.keys()) {
    const name = path.basename(address, ".js");
    if (names.includes(`${name}.js`)) pages.set(`/${name}.html`, bytes(around(name, address)));
  }
  return pages;

  async function scriptsOf(outdir, options) {
    const common = { absWorkingDir: folder, bundle: true, minify: true, platform: "browser", write: false, logLevel: "error" };
    const { outputFiles } = await build({ ...common, ...options, format: "esm", outdir });
    return outputFiles.map(({ path: file, contents }) => [outdir + path.basename(file), contents]);
  }
}

const around = (name, script) => `<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <title>${name}</title>
  <ol id="hits"></ol>
  <script type="module" src="${script}"></script>
</html>`;

function executable() {
  const names = ["chromium", "chromium-browser", "google-chrome", "chrome"];
  const folders = (process.env.PATH ?? "").split(path.delimiter);
  const files = names.flatMap((name) => folders.map((folder) => path.join(folder, name)));
  const found = process.env.CHROMIUM ?? files.find((file) => fs.existsSync(file));
  if (!found) throw new Error("Chromium is not installed. Install it, or name it: CHROMIUM=/path/to/chrome");
  return found;
}

const bytes = (text) => new TextEncoder().encode(text);
