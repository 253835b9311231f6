// The reader on the calling thread.

import { local } from "../channel.js";
import start, { PartsReader } from "../parts-module.js";
import { engines, mapped, telling } from "../traps.js";
import { partsHandlers } from "./handlers.js";

export const partsInPlace = (_own, onCrash) => {
  const handlers = partsHandlers({ start, PartsReader });
  const channel = local(mapped(handlers, telling));
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
