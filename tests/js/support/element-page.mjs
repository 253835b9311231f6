// A page of other people with the package's elements: of the demo's origin, under a policy that forbids inline scripts and styles.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { ORIGIN } from "./demo.mjs";

export const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self' http://parts.test; worker-src 'self'; style-src 'self'; base-uri 'none'";
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export const PETS = [
  { id: "cats.md", title: "Cats", text: "# Cats\n\nCats purr when they are content. A cat sleeps for sixteen hours a day.\n\n## Food\n\nThey eat fish <img src=x onerror=\"globalThis.broken = true\"> & meat." },
  { id: "dogs.md", title: "Dogs", text: "# Dogs\n\nA dog wags its tail when it is glad. Dogs need a walk twice a day." },
  { id: "tax.md", title: "Tax", text: "# Tax\n\nIncome is taxed once a year. The declaration is due on 31 July." },
];

/** Opens the page in a tab of a context with the given elements. @param {string} [lang] */
export async function elementPage(page, body, lang = "en") {
  const html = `<!doctype html><html lang="${lang}"><head><meta charset="utf-8"><title>Elements</title><meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/elements-page.css"></head><body><main><h1>Pets</h1>${body}</main></body></html>`;
  await page.unrouteAll();
  await page.route(`${ORIGIN}/elements-page`, (route) => route.fulfill({ contentType: "text/html", headers: { "content-security-policy": POLICY }, body: html }));
  await page.route(`${ORIGIN}/elements-page.css`, (route) => route.fulfill({ contentType: "text/css", body: ":root { color-scheme: light dark; background: Canvas; color: CanvasText; font: 16px/1.5 sans-serif } main { max-width: 44rem; margin: 2rem auto; padding: 0 1rem }" }));
  await page.goto(`${ORIGIN}/elements-page`);
}

/** Defines the elements, and gives those of the page a knowledge base of `documents`; with the model if `meaning`. */
export const filledElements = (page, documents = PETS, meaning = false) =>
  page.evaluate(
    `(async () => {
      const { Embedder, KnowledgeBase } = await import("${ORIGIN}/vademecum/index.js");
      const models = "${ORIGIN}/models/all-minilm-l6-v2/";
      const embedder = Embedder.onnx({ model: models + "model.onnx", tokenizer: models + "tokenizer.json" });
      globalThis.kb = await KnowledgeBase.memory(${meaning} ? { embedder } : {});
      await kb.add(${JSON.stringify(documents)});
      await import("${ORIGIN}/vademecum/elements/index.js");
      for (const one of document.querySelectorAll("vademecum-search, vademecum-ask, vademecum-reader")) one.source ??= kb;
      globalThis.told = [];
      for (const name of ["select", "open", "answer", "close", "error"]) {
        document.addEventListener("vademecum-" + name, ({ detail }) => told.push([name, JSON.parse(JSON.stringify(detail, (key, value) => (value instanceof Error ? { message: value.message } : value)))]));
      }
    })()`,
  );

/** Returns the findings of axe, in both colour schemes, one per line. */
export async function violations(page) {
  await page.evaluate(`if (!globalThis.axe) { ${AXE} }`);
  const found = [];
  for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
    found.push(...violations.flatMap(({ id, impact, nodes }) => nodes.map(({ html, failureSummary }) => `${colorScheme}: ${impact} ${id}: ${html.slice(0, 160)} ${failureSummary.split("\n").slice(1, 2).join(" ")}`)));
  }
  await page.emulateMedia({ colorScheme: "light" });
  return found;
}
