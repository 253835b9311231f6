// Libraries in parts, read on the calling thread: for workers of your own and for service workers, which may not import at run time.

import { all, words } from "./parts-module.js";
import { embedding } from "./parts/embedding.js";
import { embedding as customEmbedding } from "./parts/embedding-custom.js";
import { partsInPlace } from "./parts/in-place.js";
import { AttachedLibrary } from "./parts/library.js";

/** Attaches a library in parts, by the address of its manifest. */
export const attach = (url, options) => AttachedLibrary.attach(async () => partsInPlace({ words, all }), async (type) => (type === "custom" ? customEmbedding : embedding), url, options);
