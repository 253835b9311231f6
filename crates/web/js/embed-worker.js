// A worker that holds one sentence encoder.

import { connect } from "./channel.js";
import { encoderHandlers } from "./encoder.js";

/** Not by `import.meta.url`, for which some bundlers write the path of the file on the machine that built the page. */
const beside = () => new URL("ort/", self.location.href.replace(/^blob:/, "")).href;

connect(self, encoderHandlers(beside));
self.postMessage({ kind: "here" }); // the script has come, and all that it imports
