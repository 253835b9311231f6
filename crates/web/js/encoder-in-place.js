// One encoder on the calling thread, for environments without workers such as Node, Deno and shared workers.

import { local } from "./channel.js";
import { closed } from "./error.js";
import { encoderHandlers } from "./encoder.js";
import { breaking, mapped } from "./traps.js";

export function encoderInPlace() {
  const { end, ...handlers } = encoderHandlers();
  const channel = local(mapped(handlers, breaking));
  /** Ends pending calls with `why`: by default that it was closed. */
  const terminate = (why = closed()) => {
    channel.close(why);
    end();
  };
  return { ...channel, terminate };
}
