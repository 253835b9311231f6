// The engine's worker for the default entry.

import { build } from "./build.js";
import { takingVectors } from "./embed-ahead.js";
import { engineHandlers } from "./engine.js";
import { serveEngine } from "./hosts.js";

serveEngine(build, takingVectors(engineHandlers));
