// What the address says, all of it behind its `#`, which a browser sends to no server: the tab that is shown, and the question with
// the way in which it was asked. `#trace`, `#ask?q=What+is+a+slice&style=graph`.

const FIRST = "ask";

/** The tab's name; that of the first where none is said. */
export const tabOf = () => location.hash.slice(1).split("?")[0] || FIRST;

/** The question `q` and the `style`, where there is a question. */
export const saidOf = () => new URLSearchParams(location.hash.split("?").slice(1).join("?"));

/** The address of a tab, with what is said. */
export function addressOf(tab, said = new URLSearchParams()) {
  const text = String(said);
  const isPlain = tab === FIRST && text === "";
  return location.pathname + (isPlain ? "" : `#${tab}${text && `?${text}`}`);
}

/** Links once had the question before the `#`: there, it would go to the server with every request. */
export function moveFromSearch() {
  const said = new URLSearchParams(location.search);
  if (location.search) history.replaceState(history.state, "", addressOf(tabOf(), said.has("q") ? said : saidOf()));
}
