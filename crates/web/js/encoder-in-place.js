// One encoder on the calling thread, for environments without workers such as Node, Deno and shared workers.

import { local } from "./channel.js";
import { encoderHandlers } from "./encoder.js";
import { breaking, mapped } from "./traps.js";

export const encoderInPlace = () => ({ ...local(mapped(encoderHandlers(), breaking)), terminate() {} });
