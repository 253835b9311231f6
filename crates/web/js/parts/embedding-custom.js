// An embedder of questions that is a function of the user's: the same as `embedding.js`.

import { flatten } from "../embedder-custom.js";
import { aborted, ended, VademecumError } from "../error.js";

export function embedding({ embed }) {
  return {
    load: async () => {},
    isReady: () => true,
    async embed(question, signal) {
      try {
        return flatten(await embed([question], { kind: "query", signal })).values;
      } catch (thrown) {
        throw signal.aborted ? aborted() : thrown instanceof VademecumError ? thrown : failed(thrown);
      }
    },
    close: () => {},
  };
}

const failed = (thrown) => new VademecumError(`The embedder failed: ${ended(thrown?.message ?? thrown)}`, { code: "embedder_failed", cause: thrown });
