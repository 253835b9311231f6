// What was published with a model, in the files of sentence-transformers beside it or, for a model in a folder `onnx`, beside that
// folder: how token vectors are pooled (`1_Pooling/config.json`), and linear maps of the pooled vector (modules `Dense` of
// `modules.json`). They are requested from the model's own origin only.

import { ended, VademecumError } from "./error.js";

const KINDS = { pooling_mode_mean_tokens: "mean", pooling_mode_cls_token: "cls", pooling_mode_lasttoken: "lasttoken" };
/** The modules of a model that are read, or that change nothing when it runs. */
const MODULES = ["Transformer", "Pooling", "Dense", "Normalize", "Dropout"];
const ACTIVATIONS = { Identity: "identity", Tanh: "tanh", ReLU: "relu", GELU: "gelu" };

/**
 * The files beside a model: `required` fetches one, and `optional` resolves to null if the server has none.
 * @typedef {{ required: (url: string) => Promise<Uint8Array>, optional: (url: string) => Promise<Uint8Array | null> }} Beside
 */

/**
 * Returns the published pooling (`"mean"`, `"cls"` or `"lasttoken"`) and maps; nothing without such files. Any other pooling, maps that
 * are not supported, and files that cannot be read are errors: without them, the vectors would be made wrongly, and look right.
 *
 * @param {string} model the model's address
 * @param {Beside} beside
 * @returns {Promise<{ pooling?: string, dense?: { activation: string, weights: Uint8Array }[] }>}
 */
export async function published(model, beside) {
  const address = new URL(model);
  if (!["http:", "https:", "file:"].includes(address.protocol)) return {};
  const folders = address.pathname.split("/").at(-2) === "onnx" ? ["./", "../"] : ["./"];
  for (const folder of folders) {
    const url = new URL(`${folder}1_Pooling/config.json`, address).href;
    const config = await object(url, beside);
    if (config) return { pooling: kindOf(config, url), dense: await maps(new URL(folder, address), beside) };
  }
  return {};
}

/** Returns the parsed file of an address; null if there is none. */
async function object(url, { optional }) {
  const bytes = await optional(url).catch((cause) => {
    const message = `The model's configuration could not be read from ${url}: ${ended(cause.message)}. Try again, or name the option \`pooling\`.`;
    throw new VademecumError(message, { code: "model_unavailable", retryable: true, cause });
  });
  if (!bytes) return null;
  try {
    const config = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof config === "object" && config !== null) return config;
  } catch {
    // The same as another value.
  }
  throw new VademecumError(`The model's configuration at ${url} is no JSON object: it may be cut. Serve it as it was published, or name the option \`pooling\`.`, { code: "model_corrupt" });
}

const unfit = (message) => new VademecumError(message, { code: "model_unfit" });

function kindOf(config, url) {
  const asked = Object.keys(config).filter((name) => name.startsWith("pooling_mode_") && config[name] === true);
  const names = typeof config.pooling_mode === "string" ? [config.pooling_mode] : asked.map((name) => KINDS[name] ?? name);
  if (names.length === 0) return undefined;
  if (names.length === 1 && Object.values(KINDS).includes(names[0])) return names[0];
  throw unfit(`The model was published for a pooling that is not supported: ${url} asks for ${names.join(" and ")}. Name the option \`pooling\`, or another model.`);
}

/** Returns the linear maps that `modules.json` lists after the pooling, each `{ activation, weights }`. */
async function maps(folder, beside) {
  const modules = await object(new URL("modules.json", folder).href, beside);
  if (!Array.isArray(modules)) return [];
  const strange = modules.find(({ type }) => typeof type === "string" && !MODULES.includes(type.split(".").at(-1) ?? ""));
  if (strange) throw unfit(`The model was published with a module that is not supported: ${strange.type}. Use a model of ${MODULES.join(", ")}.`);
  const dense = modules.filter(({ type }) => typeof type === "string" && type.endsWith(".Dense"));
  return Promise.all(dense.map(({ path }) => map(new URL(`${path}/`, folder), beside)));
}

async function map(folder, beside) {
  const url = new URL("config.json", folder).href;
  const config = await object(url, beside);
  if (!config) throw new VademecumError(`The configuration of the model's dense layer could not be read from ${url}.`, { code: "model_unavailable", retryable: true });
  const name = `${config.activation_function}`.split(".").at(-1) ?? "";
  if (!Object.hasOwn(ACTIVATIONS, name)) {
    throw unfit(`The model was published with a dense layer that is not supported: ${url} names the function ${config.activation_function}, not one of ${Object.keys(ACTIVATIONS).join(", ")}.`);
  }
  const address = new URL("model.safetensors", folder).href;
  try {
    return { activation: ACTIVATIONS[name], weights: await beside.required(address) };
  } catch (cause) {
    const message = `The weights of the model's dense layer could not be loaded from ${address}: ${cause.message}. Serve them in the form of safetensors.`;
    throw new VademecumError(message, { code: "model_unavailable", retryable: true, cause });
  }
}
