// The engine's worker of the lite build.

import { build } from "./build.js";
import { serveEngine } from "../hosts.js";

serveEngine(build);
