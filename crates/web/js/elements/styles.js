// Style sheets of the elements, adopted by their shadow roots: a policy without `unsafe-inline` forbids style elements, and not these.

const SHARED = `
:host {
  --accent: var(--vademecum-accent, light-dark(#0b57d0, #a8c7fa));
  --back: var(--vademecum-background, Canvas);
  --ink: var(--vademecum-text, CanvasText);
  --quiet: var(--vademecum-muted, color-mix(in srgb, var(--ink) 68%, var(--back)));
  --line: var(--vademecum-border, color-mix(in srgb, var(--ink) 50%, var(--back)));
  --mark: var(--vademecum-mark, light-dark(#ffe58a, #6b5600));
  --bad: var(--vademecum-error, light-dark(#b3261e, #f2b8b5));
  --round: var(--vademecum-radius, 0.5rem);
  display: block;
  position: relative;
  font: var(--vademecum-font, inherit);
  color: var(--ink);
}
:host([hidden]), [hidden] { display: none !important; }
* { box-sizing: border-box; }
button, input { font: inherit; color: inherit; }
.field {
  width: 100%; padding: 0.55em 0.8em; background: var(--back);
  border: 1px solid var(--line); border-radius: var(--round);
}
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.button {
  padding: 0.55em 1.1em; cursor: pointer; white-space: nowrap;
  background: transparent; border: 1px solid var(--line); border-radius: var(--round);
}
.link { padding: 0; border: 0; background: none; color: var(--accent); text-align: start; cursor: pointer; text-decoration: underline; }
.status { min-height: 1.5em; margin: 0.3em 0 0; font-size: 0.875em; color: var(--quiet); }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.error { margin: 0.5em 0 0; color: var(--bad); overflow-wrap: anywhere; }
.path { display: block; font-size: 0.875em; color: var(--quiet); overflow-wrap: anywhere; }
mark { background: var(--mark); color: inherit; border-radius: 0.15em; }
@media (forced-colors: active) { mark { background: Mark; color: MarkText; } }
`;

const SEARCH = `
.list {
  position: absolute; z-index: 10; inset-inline: 0; margin: 0.25rem 0 0; padding: 0.25rem; list-style: none;
  max-height: var(--vademecum-list-height, min(28rem, 60vh)); overflow-y: auto; background: var(--back);
  border: 1px solid var(--line); border-radius: var(--round); box-shadow: 0 0.4rem 1.2rem rgb(0 0 0 / 0.2);
}
.hit { padding: 0.5em 0.7em; border-radius: calc(var(--round) - 0.15rem); cursor: pointer; }
.hit[aria-selected="true"] { outline: 2px solid var(--accent); outline-offset: -2px; background: color-mix(in srgb, var(--accent) 12%, var(--back)); }
.title { display: block; font-weight: 600; overflow-wrap: anywhere; }
.excerpt { display: block; font-size: 0.925em; overflow-wrap: anywhere; }
`;

const ASK = `
.form { display: flex; gap: 0.5rem; }
.form .field { flex: 1; min-width: 0; }
.heading { margin: 0.8em 0 0.3em; font-size: 1em; font-weight: 600; }
.text { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; line-height: 1.5; }
.cite { padding: 0 0.25em; border: 0; background: none; color: var(--accent); cursor: pointer; font-size: 0.875em; }
.quotes, .nearest { display: grid; gap: 0.6rem; margin: 0.5em 0 0; padding: 0; list-style: none; }
.quote, .passage { padding: 0.6em 0.9em; border-inline-start: 3px solid var(--line); }
.words { margin: 0 0 0.3em; white-space: pre-wrap; overflow-wrap: anywhere; line-height: 1.5; }
.note { margin: 0.6em 0 0; font-size: 0.925em; color: var(--quiet); overflow-wrap: anywhere; }
.choices { display: flex; flex-wrap: wrap; gap: 0.5rem; margin: 0.6em 0 0; }
`;

const READER = `
:host(:not([open])) { display: none; }
:host { margin-block: 1rem; }
.head .path { margin: 0.2em 0 0; }
.head { display: flex; justify-content: space-between; align-items: start; gap: 1rem; }
.heading { margin: 0; font-size: 1.15em; overflow-wrap: anywhere; }
.text {
  margin: 0.6em 0 0; max-height: var(--vademecum-reader-height, 70vh); overflow-y: auto; white-space: pre-wrap;
  overflow-wrap: anywhere; line-height: 1.55; font: inherit;
}
.text mark.quoted { outline: 2px solid var(--accent); outline-offset: 1px; }
`;

const TEXTS = { search: SHARED + SEARCH, ask: SHARED + ASK, reader: SHARED + READER };
/** By window, because a sheet can be adopted in the document that it was made for only. */
const made = new WeakMap();

/** Gives a shadow root the sheet of its element. Called again when the element is moved to another document, which drops adopted sheets. */
export function dress(root, name) {
  const view = root.ownerDocument.defaultView;
  if (!view) return; // a document without a window shows nothing
  if (!made.has(view)) made.set(view, {});
  const sheets = made.get(view);
  if (!sheets[name]) {
    sheets[name] = new view.CSSStyleSheet();
    sheets[name].replaceSync(TEXTS[name]);
  }
  root.adoptedStyleSheets = [sheets[name]];
}
