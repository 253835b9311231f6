// The page of the comparison, ours, that searches by words alone.

import { attach } from "/site/vademecum/parts.js";

globalThis.vademecum = { attach };
