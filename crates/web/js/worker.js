// The engine's worker for the default entry.

import { build } from "./build.js";
import { serveEngine } from "./hosts.js";

serveEngine(build);
