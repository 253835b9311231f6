// Ways from a question to what the library lacks, on its own tab.

import { byId } from "../dom.js";
import { goTo } from "../tabs.js";

/** Lets the user choose files. */
export function addFiles() {
  goTo("library");
  byId("pick-files").click();
}

/** Adds the sample by the button of the Library tab, which shows the progress. */
export function addSample() {
  goTo("library");
  byId("add-sample").focus();
  byId("add-sample").click();
}
