// The worker that reads a library in parts.

import { connect } from "./channel.js";
import { all, words } from "./parts-module.js";
import { partsHandlers } from "./parts/handlers.js";
import { ending, failOnUnread, mapped } from "./traps.js";

connect(self, mapped(partsHandlers({ words, all }), ending));
failOnUnread();
self.postMessage({ kind: "here" }); // the script and all its imports are loaded
