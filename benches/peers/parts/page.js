// The page of the comparison, ours: what a documentation site's script does.

import { Embedder } from "vademecum/embedder.js";
import { attach } from "vademecum/parts.js";

globalThis.vademecum = { attach, Embedder };
