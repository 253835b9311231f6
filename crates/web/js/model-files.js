// The files that a model in the form of safetensors has beside its weights.

import { download } from "./download.js";

/** Returns `{ config }`, the contents of the `config.json` beside a model in the form of safetensors; of any other model nothing. */
export async function modelFiles(model, timeout) {
  const address = new URL(model);
  if (!address.pathname.endsWith(".safetensors")) return {};
  return { config: await download(new URL("config.json", address).href, timeout) };
}
