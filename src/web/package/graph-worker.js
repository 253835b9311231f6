// A worker that builds one HNSW graph.

import start, { buildGraph } from "./module.js";
import { serveGraphs } from "./hosts.js";

serveGraphs(start, buildGraph);
