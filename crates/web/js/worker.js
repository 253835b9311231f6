// The engine's worker for the default entry.

import { build } from "./build.js";
import { Chroma } from "./chroma.js";
import { takingVectors } from "./embed-ahead.js";
import { engineHandlers } from "./engine.js";
import { serveEngine } from "./hosts.js";
import { remotes } from "./remote-engine.js";

serveEngine({ ...build, remotes: remotes(Chroma) }, takingVectors(engineHandlers));
