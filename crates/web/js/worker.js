// The engine's worker: a page that uses the package's default entry never does the work itself.

import { build } from "./build.js";
import { serveEngine } from "./hosts.js";

serveEngine(build);
