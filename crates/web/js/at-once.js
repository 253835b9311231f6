// The parts of `on-demand.js`, imported statically, because a service worker may not import at run time.

import * as asking from "./asking.js";
import * as evaluation from "./evaluate.js";
import * as pairs from "./pair-pool.js";
import * as remote from "./remote.js";
import { remotes } from "./remotes.js";
import * as storage from "./storage/index.js";

export const atOnce = {
  asking: async () => asking,
  evaluation: async () => evaluation,
  pairs: async () => pairs,
  remotes: remotes(async () => remote),
  storage: async () => storage,
};
