// Parts of the package that a page fetches when they are first used.

import { ended, VademecumError } from "./error.js";

/** Imports a part; the error for a file that cannot be loaded names it. */
export const part = (name, load) => async () => {
  try {
    return await load();
  } catch (cause) {
    const message = `The package's file ${name} could not be loaded: ${ended(cause?.message ?? cause)}. Check that it is served beside the others.`;
    throw new VademecumError(message, { code: "module_unavailable", retryable: true, cause });
  }
};

export const onDemand = {
  asking: part("asking.js", () => import("./asking.js")),
  evaluation: part("evaluate.js", () => import("./evaluate.js")),
  storage: part("storage/index.js", () => import("./storage/index.js")),
  pairs: part("pair-pool.js", () => import("./pair-pool.js")),
};
