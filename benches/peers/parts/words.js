// The page of the comparison, ours, that searches by words alone.

import { attach } from "vademecum/parts.js";

globalThis.vademecum = { attach };
