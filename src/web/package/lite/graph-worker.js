// A worker that builds one HNSW graph, of the lite build.

import start, { buildGraph } from "./module.js";
import { serveGraphs } from "../hosts.js";

serveGraphs(start, buildGraph);
