// The published pooling of a model: from the file `1_Pooling/config.json` of sentence-transformers, beside the model or, for
// a model in a folder `onnx`, beside that folder. It is requested from the model's own origin only.

import { VademecumError } from "./error.js";

const KINDS = { pooling_mode_mean_tokens: "mean", pooling_mode_cls_token: "cls", pooling_mode_lasttoken: "lasttoken" };

/**
 * Returns `"mean"`, `"cls"` or `"lasttoken"`; undefined without such a file. Any other pooling in the file is an error.
 *
 * @param {string} model the model's address
 * @param {(url: string) => Promise<Uint8Array>} download
 */
export async function published(model, download) {
  const address = new URL(model);
  if (!["http:", "https:", "file:"].includes(address.protocol)) return undefined;
  const folders = address.pathname.split("/").at(-2) === "onnx" ? ["./", "../"] : ["./"];
  for (const folder of folders) {
    const url = new URL(`${folder}1_Pooling/config.json`, address).href;
    const config = await download(url).then(parsed, (error) => absent(error, url));
    if (config) return kindOf(config, url);
  }
  return undefined;
}

/**
 * Handles a failed download: a missing file is no error. A server that fails or does not answer may have one, and without it
 * the vectors would be pooled wrongly, and look right.
 */
function absent({ status = 0, stalled = false, message }, url) {
  if (!stalled && status < 500 && status !== 429) return null;
  const expected = `How the model is pooled could not be read from ${url}: ${message}. Try again, or name the option \`pooling\`.`;
  throw new VademecumError(expected, { code: "model_unavailable", retryable: true });
}

/** Some hosts send an HTML page in place of missing files. */
function parsed(bytes) {
  try {
    const config = JSON.parse(new TextDecoder().decode(bytes));
    return typeof config === "object" ? config : null;
  } catch {
    return null;
  }
}

function kindOf(config, url) {
  const asked = Object.keys(config).filter((name) => name.startsWith("pooling_mode_") && config[name] === true);
  const names = typeof config.pooling_mode === "string" ? [config.pooling_mode] : asked.map((name) => KINDS[name] ?? name);
  if (names.length === 0) return undefined;
  if (names.length === 1 && Object.values(KINDS).includes(names[0])) return names[0];
  const message = `The model was published for a pooling that is not supported: ${url} asks for ${names.join(" and ")}. Name the option \`pooling\`, or another model.`;
  throw new VademecumError(message, { code: "model_unfit" });
}
