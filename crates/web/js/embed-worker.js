// A worker that runs one sentence encoder.

import { connect } from "./channel.js";
import { encoderHandlers } from "./encoder.js";

connect(self, encoderHandlers());
self.postMessage({ kind: "here" }); // the script and all its imports are loaded
