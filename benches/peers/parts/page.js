// The page of the comparison, ours: what a documentation site's script does.

import { Embedder } from "/site/vademecum/embedder.js";
import { attach } from "/site/vademecum/parts.js";

globalThis.vademecum = { attach, Embedder };
