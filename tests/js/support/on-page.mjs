// Runs code of a test on a page of the demo's origin.

import { ORIGIN } from "./demo.mjs";

/**
 * Runs `body(vademecum, files, argument)` on the page, with the package's default entry or its direct one. `vademecum.testing`
 * contains the LLM functions for tests; `files` contains the URLs of the demo's model.
 */
export const onPage = (page, body, argument, entry = "index.js") =>
  page.evaluate(
    `(async () => {
      const vademecum = { ...(await import("${ORIGIN}/vademecum/${entry}")), testing: await import("${ORIGIN}/vademecum/testing.js") };
      const models = "${ORIGIN}/models/all-minilm-l6-v2/";
      const files = { model: models + "model.onnx", tokenizer: models + "tokenizer.json" };
      return (${body})(vademecum, files, ${JSON.stringify(argument)});
    })()`,
  );
