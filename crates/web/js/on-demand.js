// Parts of the package that a page fetches once they are used.

import { ended, VademecumError } from "./error.js";

/** What `load` imports; a file that cannot be had is told by its name. */
const part = (name, load) => async () => {
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
};
