// A worker that runs one sentence encoder.

import { connect } from "./channel.js";
import { encoderHandlers } from "./encoder.js";
import { ending, failOnUnread, mapped } from "./traps.js";

connect(self, mapped(encoderHandlers(), ending));
failOnUnread();
self.postMessage({ kind: "here" }); // the script and all its imports are loaded
