// One encoder where there are no workers, as in Node, Deno and shared workers: it computes on the thread that asks.

import { local } from "./channel.js";
import { encoderHandlers } from "./encoder.js";

export const encoderInPlace = () => ({ ...local(encoderHandlers()), terminate() {} });
