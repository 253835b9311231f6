// A worker that reads files to documents for a page.

import { connect } from "../channel.js";
import { filesModule } from "./module.js";

connect(self, {
  async read({ id, kind, bytes }) {
    const { readFile } = await filesModule();
    return readFile(id, kind, bytes);
  },
});
self.postMessage({ kind: "here" }); // the script and all its imports are loaded
