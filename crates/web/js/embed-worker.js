// A worker that holds one sentence encoder.

import { connect } from "./channel.js";
import { encoderHandlers } from "./encoder.js";

connect(self, encoderHandlers());
self.postMessage({ kind: "here" }); // the script has come, and all that it imports
