// Replaces models in the lite build.

import { unsupported } from "../error.js";

/** Returns a function that says that `name` is not in this build, and what is. */
export const without = (name, hint = "a function of your own") => () => {
  throw unsupported(`\`${name}\` is not in the lite build. Import from "vademecum" instead of "vademecum/lite", or use ${hint}.`);
};

export const noEncoders = without("Embedder.onnx", "`Embedder.custom`");

/** In the place of remote collections. */
const noRemote = without("kb.attach");
export const noRemotes = () => ({ attach: noRemote, detach: noRemote });
