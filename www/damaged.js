// A library that cannot be read: the one thing left to do with it is to begin anew.

import { byId } from "./dom.js";
import { confirmed } from "./library/confirm.js";
import { complain } from "./notice.js";
import { status } from "./status.js";
import { KnowledgeBase } from "./vademecum/index.js";

/** Says what is wrong with the library of this name, and offers to put an empty one in its place. */
export function showDamage(name) {
  status("failed", "The library could not be opened.");
  for (const panel of document.querySelectorAll('[role="tabpanel"]')) panel.inert = true; // nothing in them was started
  byId("damaged").hidden = false;
  byId("begin-anew").addEventListener("click", async () => {
    const agreed = await confirmed({
      title: "Begin with an empty library?",
      text: "What is left of the damaged one is deleted from this browser, for good: its documents, and the conversation that was kept with it. Your files stay where they are.",
      yes: "Delete it and begin",
    });
    if (!agreed) return;
    try {
      await KnowledgeBase.delete(name);
      location.reload();
    } catch (error) {
      complain(error);
    }
  });
}
