// Embedding outside a browser: the kernel beside the ONNX runtime, by the program that `cargo xtask eval` builds. Prints one JSON object.
//   node native.mjs '{"command": ["…/evaluate", "--timed", "15", …]}'

import { spawnSync } from "node:child_process";
import os from "node:os";
import { median, ratio } from "./measure.mjs";

const { command: [program, ...words] } = JSON.parse(process.argv[2]);
const load = os.loadavg()[0];
const run = spawnSync(program, words, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
if (run.status !== 0) throw new Error(`${program} ended with ${run.status ?? run.error?.message}`);
const { times, ...about } = JSON.parse(run.stdout.trim().split("\n").at(-1));

const rounds = (name) => times[name].map((ms) => [ms]);
const beside = (ours, theirs) => ratio(rounds(ours), rounds(theirs));
console.log(JSON.stringify({
  ...about,
  load,
  ms: Object.fromEntries(Object.entries(times).map(([name, each]) => [name, median(each)])),
  ratio: {
    one: beside("passages, kernel, one", "passages, runtime, one"),
    all: beside("passages, kernel, all", "passages, runtime, all"),
    each: beside("passages, kernel, all", "passages, runtime, each"),
    question: beside("question, kernel, one", "question, runtime, one"),
    questionAll: beside("question, kernel, one", "question, runtime, all"),
  },
}));
