// transformers.js in a worker, as its documentation advises.

import { encoder } from "./lib/encoder.js";

let extract;

const work = {
  async load() {
    extract = await encoder();
  },
  async run(calls) {
    for (const texts of calls) await extract(texts);
  },
};

onmessage = async ({ data: { id, method, argument } }) => {
  try {
    postMessage({ id, value: await work[method](argument) });
  } catch (error) {
    postMessage({ id, error: String(error) });
  }
};
