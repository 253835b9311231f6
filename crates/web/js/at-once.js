// The parts of `on-demand.js`, imported at once: a service worker may import nothing while it runs.

import * as asking from "./asking.js";
import * as evaluation from "./evaluate.js";

export const atOnce = { asking: async () => asking, evaluation: async () => evaluation };
