// The engine's worker: a page that uses the package's default entry never does the work itself.

import { connect } from "./channel.js";
import { engineHandlers } from "./engine.js";
import { spawnEmbedder, spawnGraphBuilder } from "./spawn.js";

const page = { call: (...call) => channel.call(...call) };
const channel = connect(self, engineHandlers(page, { embedder: spawnEmbedder, graphBuilder: spawnGraphBuilder }));
