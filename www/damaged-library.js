// A library that cannot be read: the only remaining action is to start with an empty one.

import { byId } from "./dom.js";
import { confirmed } from "./library/confirm.js";
import { complain } from "./notice.js";
import { status } from "./status.js";
import { KnowledgeBase } from "./vademecum/index.js";
import { t } from "./words.js";

/** Reports the damage of the named library, and offers to replace it with an empty one. */
export function showDamage(name) {
  status("failed", t("The library could not be opened."));
  for (const panel of document.querySelectorAll('[role="tabpanel"]')) panel.inert = true; // nothing in them was started
  byId("damaged").hidden = false;
  byId("begin-anew").addEventListener("click", async () => {
    const agreed = await confirmed({
      title: t("Start with an empty library?"),
      text: t("The damaged library is permanently deleted from this browser, with its documents and the conversation stored with it. Your own files are not affected."),
      yes: t("Delete it and start"),
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
