// The tabs: one panel at a time, named in the address, reached by arrow keys.

import { addressOf, moveFromSearch, saidOf, tabOf } from "./address.js";
import { byId } from "./dom.js";

const tabs = [...document.querySelectorAll('[role="tab"]')];
const panelOf = (tab) => byId(tab.getAttribute("aria-controls"));
const nameOf = (tab) => panelOf(tab).id;

/** Shows a panel by its id; a name that is none shows the first. */
export function show(name) {
  const chosen = tabs.find((tab) => nameOf(tab) === name) ?? tabs[0];
  for (const tab of tabs) {
    const is = tab === chosen;
    tab.ariaSelected = String(is);
    tab.tabIndex = is ? 0 : -1;
    panelOf(tab).hidden = !is;
  }
  panelOf(chosen).dispatchEvent(new Event("shown"));
}

/** Shows a panel, and lets the back button return to the one before. */
export function goTo(name) {
  if (tabOf() !== name) history.pushState(history.state, "", addressOf(name, saidOf()));
  show(name);
}

export function startTabs() {
  for (const [at, tab] of tabs.entries()) {
    tab.addEventListener("click", () => goTo(nameOf(tab)));
    tab.addEventListener("keydown", (event) => {
      const last = tabs.length - 1;
      const to = { ArrowRight: at === last ? 0 : at + 1, ArrowLeft: at === 0 ? last : at - 1, Home: 0, End: last }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      goTo(nameOf(tabs[to]));
      tabs[to].focus();
    });
  }
  // The page is not loaded anew: answers, a model and its key would be gone. With a key held down it opens another one, as links do.
  document.querySelector(".wordmark").addEventListener("click", (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    goTo(nameOf(tabs[0]));
    scrollTo(0, 0);
  });
  // What it leads to may be in a panel that is hidden.
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault();
    goTo(nameOf(tabs[0]));
    byId("question").focus();
  });
  window.addEventListener("popstate", () => show(tabOf()));
  moveFromSearch();
  show(tabOf());
}
