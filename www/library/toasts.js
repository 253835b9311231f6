// Short messages at the lower edge of the page, each with one action, for as long as its action is possible.

import { h } from "../dom.js";
import { t } from "../words.js";

let place = null;

function placeOf() {
  if (!place?.isConnected) {
    place = h("div.toasts", { id: "toasts", role: "region", ariaLabel: t("Messages") });
    document.body.append(place);
  }
  return place;
}

/** Whether the user is about to use an action. */
export const isToastHeld = () => Boolean(place?.querySelector("button:is(:hover, :focus-visible)"));

/**
 * Shows a message with an action.
 *
 * @param {{ text: string, action: string, label: string, onAction: () => void }} one `label` is the action's name for screen readers
 * @returns {{ focus: () => void, close: () => void }}
 */
export function toast({ text, action, label, onAction }) {
  const button = h("button.undo.quiet", { type: "button", ariaLabel: label, onclick: onAction }, action);
  const element = h("div.toast", {}, h("p", {}, text), button);
  placeOf().append(element);
  return { focus: () => button.focus(), close: () => element.remove() };
}
