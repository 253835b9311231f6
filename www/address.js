// The address of the page. All of its state is after `#`, which browsers do not send to servers: the tab, the question and the
// style. `#trace`, `#ask?q=What+is+a+slice&style=graph`. Before it is at most the language, `?lang=de`.

const FIRST = "ask";

/** Returns the tab's name; default: the first tab. */
export const tabOf = () => location.hash.slice(1).split("?")[0] || FIRST;

/** Returns the parameters: the question `q` and the `style`. */
export const saidOf = () => new URLSearchParams(location.hash.split("?").slice(1).join("?"));

/** Returns the part of the address that names the language, or nothing. */
function languageOf() {
  const lang = new URLSearchParams(location.search).get("lang");
  return lang ? `?${new URLSearchParams({ lang })}` : "";
}

/** Returns the address of a tab with parameters. */
export function addressOf(tab, said = new URLSearchParams(), language = languageOf()) {
  const text = String(said);
  const isPlain = tab === FIRST && text === "";
  return location.pathname + language + (isPlain ? "" : `#${tab}${text && `?${text}`}`);
}

/** Moves parameters of old links from the query string to after `#`: a query string is sent to the server with every request. */
export function moveFromSearch() {
  const said = new URLSearchParams(location.search);
  if (location.search) history.replaceState(history.state, "", addressOf(tabOf(), said.has("q") ? said : saidOf()));
}

/** Resolves when the browser has left an entry of its history; null while it leaves none. @type {Promise<void> | null} */
let leaving = null;
let left = () => {};
/** Milliseconds until entries are added without waiting any longer. */
const LONG = 2000;

/** Leaves the entry of the history that the page is at, which the browser does a moment later. No other listener sees it, so that the page does not change. */
export function leaveEntry() {
  const own = (leaving = new Promise((resolve) => {
    left = () => {
      if (leaving === own) leaving = null;
      resolve();
    };
  }));
  setTimeout(left, LONG);
  history.back();
}

// Added before the listeners that follow the address, because this module is loaded before they are added.
globalThis.addEventListener?.("popstate", (event) => {
  if (!leaving) return;
  event.stopImmediatePropagation();
  left();
});

/** Writes to the history, once no entry is being left any more: a new entry would be the one that is left. @param {() => void} write */
export const whenLeft = (write) => void (leaving ? leaving.then(write) : write());
