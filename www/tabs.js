// The tabs: one panel at a time, named in the address, with arrow-key navigation.

import { addressOf, moveFromSearch, saidOf, tabOf, whenLeft } from "./address.js";
import { byId } from "./dom.js";

const tabs = [...document.querySelectorAll('[role="tab"]')];
const panelOf = (tab) => byId(tab.getAttribute("aria-controls"));
const nameOf = (tab) => panelOf(tab).id;

/** Shows a panel by its id; an unknown id shows the first. */
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

/** Shows a panel, and adds a history entry for the back button. */
export function goTo(name) {
  whenLeft(() => tabOf() !== name && history.pushState(history.state, "", addressOf(name, saidOf())));
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
  // Avoids a reload, which would lose answers, a model and its key. With a modifier key, links open a new tab as usual.
  document.querySelector(".wordmark").addEventListener("click", (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    goTo(nameOf(tabs[0]));
    scrollTo(0, 0);
  });
  // The target may be in a hidden panel.
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault();
    goTo(nameOf(tabs[0]));
    byId("question").focus();
  });
  window.addEventListener("popstate", () => show(tabOf()));
  moveFromSearch();
  show(tabOf());
}
