// The reader on the calling thread.

import { local } from "../channel.js";
import { engines, mapped, telling } from "../traps.js";
import { partsHandlers } from "./handlers.js";

/** @param modules `{ words, all }` of `parts-module.js` */
export const partsInPlace = (modules) => (_own, onCrash) => {
  const channel = local(mapped(partsHandlers(modules), telling));
  const end = engines.watch((error) => {
    end();
    channel.close(error);
    onCrash(error, { isFinal: true });
  });
  return {
    ...channel,
    terminate(why) {
      end();
      channel.close(why);
    },
  };
};
