// The texts of the package's elements in the language of the page, for what the page makes with their parts.

import { labelsOf } from "./vademecum/elements/labels.js";
import { language } from "./words.js";

/** What the page says in place of what is built in: a citation is a number in a frame. */
export const OWN = { citation: String };

export const texts = labelsOf(language, OWN);
