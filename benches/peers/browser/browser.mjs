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
  const pages = new Map();
  await add("/", { entryPoints: others, external: ["/site/*"] });
  await add(OURS.folder, { entryPoints: ours, plugins: [ofSite] }, OUR_HEAD);
  return pages;

  /** Adds the scripts of entries, one file each, and a page around each of these, with `heads` in its head. */
  async function add(outdir, options, heads = []) {
    const common = { absWorkingDir: folder, bundle: true, minify: true, platform: "browser", write: false, logLevel: "error" };
    const { outputFiles } = await build({ ...common, ...options, format: "esm", outdir });
    for (const { path: file, contents } of outputFiles) {
      const name = path.basename(file, ".js");
      pages.set(`${outdir}${name}.js`, contents);
      pages.set(`/${name}.html`, bytes(around(name, `${outdir}${name}.js`, heads)));
    }
  }
}

/** The head of our pages, as the package's guide recommends. */
const OUR_HEAD = [
  `<script type="module" src="${OURS.folder}preload.js"></script>`,
  ...["vademecum_bg.wasm", "vademecum-html_bg.wasm"].map((name) => `<link rel="preload" href="${OURS.folder}${name}" as="fetch" type="application/wasm" crossorigin>`),
];

const around = (name, script, links) => `<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <title>${name}</title>
  ${links.join("\n  ")}
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
