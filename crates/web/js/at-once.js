// The parts of `on-demand.js`, imported statically, because a service worker may not import at run time.

import * as asking from "./asking.js";
import * as chroma from "./chroma.js";
import * as evaluation from "./evaluate.js";
import * as pairs from "./pair-pool.js";
import * as remotes from "./remote.js";
import * as storage from "./storage/index.js";

export const atOnce = {
  asking: async () => asking,
  chroma: async () => chroma,
  evaluation: async () => evaluation,
  pairs: async () => pairs,
  remotes: async () => remotes,
  storage: async () => storage,
};
