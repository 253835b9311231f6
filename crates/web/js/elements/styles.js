// Style sheets of the elements, adopted by their shadow roots: a policy without `unsafe-inline` forbids style elements, and not these.

/** Values in use have names of their own: a page that sets `--vademecum-accent: var(--accent)` would otherwise refer to the one of the element, in a cycle. */
const SHARED = `
:host {
  --own-accent: var(--vademecum-accent, light-dark(#0b57d0, #a8c7fa));
  --own-back: var(--vademecum-background, Canvas);
  --own-ink: var(--vademecum-text, CanvasText);
  --own-quiet: var(--vademecum-muted, color-mix(in srgb, var(--own-ink) 68%, var(--own-back)));
  --own-line: var(--vademecum-border, color-mix(in srgb, var(--own-ink) 50%, var(--own-back)));
  --own-mark: var(--vademecum-mark, light-dark(#ffe58a, #6b5600));
  --own-quote: var(--vademecum-quote, light-dark(#ffd24d, #8a6f00));
  --own-raised: var(--vademecum-raised, color-mix(in srgb, var(--own-ink) 5%, var(--own-back)));
  --own-code: var(--vademecum-code-font, ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, monospace);
  --own-bad: var(--vademecum-error, light-dark(#b3261e, #f2b8b5));
  --own-doubt: var(--vademecum-doubt, var(--own-bad));
  --own-round: var(--vademecum-radius, 0.5rem);
  display: block;
  position: relative;
  font: var(--vademecum-font, inherit);
  color: var(--own-ink);
}
:host([hidden]), [hidden] { display: none !important; }
* { box-sizing: border-box; }
button, input { font: inherit; color: inherit; }
.field {
  width: 100%; padding: 0.55em 0.8em; background: var(--own-back);
  border: 1px solid var(--own-line); border-radius: var(--own-round);
}
:focus-visible { outline: 2px solid var(--own-accent); outline-offset: 2px; }
.button {
  padding: 0.55em 1.1em; cursor: pointer; white-space: nowrap;
  background: transparent; border: 1px solid var(--own-line); border-radius: var(--own-round);
}
.link { padding: 0; border: 0; background: none; color: var(--own-accent); text-align: start; cursor: pointer; text-decoration: underline; }
.status { min-height: 1.5em; margin: 0.3em 0 0; font-size: 0.875em; color: var(--own-quiet); }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.error { margin: 0.5em 0 0; color: var(--own-bad); overflow-wrap: anywhere; }
.path { display: block; font-size: 0.875em; color: var(--own-quiet); overflow-wrap: anywhere; }
.note { margin: 0.6em 0 0; font-size: 0.925em; color: var(--own-quiet); overflow-wrap: anywhere; }
mark { background: var(--own-mark); color: inherit; border-radius: 0.15em; box-decoration-break: clone; -webkit-box-decoration-break: clone; }
mark.quoted { background: var(--own-quote); }
@media (forced-colors: active) { mark { background: Mark; color: MarkText; } }
`;

/**
 * Texts of documents and of models: paragraphs, lists, code, tables, records, pages. Where a table is cut, its edge has a shadow, which a cover in the colour of the background
 * hides where the table ends.
 */
const PROSE = `
.prose { font: var(--vademecum-document-font, inherit); line-height: var(--vademecum-line-height, 1.55); overflow-wrap: anywhere; }
.prose > *, .prose :is(blockquote, li) > :is(p, ul, ol, pre, blockquote) { margin: 0; }
.prose > * + *, .prose blockquote > * + * { margin-top: 0.8em; }
.prose li > :is(p, pre, blockquote) { margin-top: 0.5em; }
.prose :is(ul, ol) { padding-inline-start: 1.5em; }
.prose > ul { list-style: disc; }
.prose li + li { margin-top: 0.2em; }
.prose :is(h3, h4, h5, h6) { font-size: 1em; font-weight: 600; line-height: 1.3; }
.prose h3 { font-size: 1.25em; }
.prose h4 { font-size: 1.1em; }
.prose > * + :is(h3, h4, h5, h6) { margin-top: 1.3em; }
.prose blockquote { padding-inline-start: 1em; border-inline-start: 3px solid var(--own-line); }
.prose hr { border: 0; border-top: 1px solid var(--own-line); }
.prose code { font-family: var(--own-code); font-size: 0.88em; }
.prose pre {
  padding: 0.7em 0.9em; overflow-x: auto; white-space: pre; overflow-wrap: normal; tab-size: 4; line-height: 1.5;
  background: var(--own-raised); border: 1px solid var(--own-line); border-radius: var(--own-round);
}
.prose pre.front { color: var(--own-quiet); font-size: 0.85em; }
.prose .table {
  overflow-x: auto; overflow-wrap: normal; white-space: normal;
  --shadow: color-mix(in srgb, var(--own-ink) 34%, transparent);
  background: linear-gradient(to right, var(--own-back) 40%, transparent) left / 2.5rem 100% local, linear-gradient(to left, var(--own-back) 40%, transparent) right / 2.5rem 100% local,
    linear-gradient(to right, var(--shadow), transparent) left / 0.9rem 100% scroll, linear-gradient(to left, var(--shadow), transparent) right / 0.9rem 100% scroll;
  background-repeat: no-repeat;
}
.prose table { border-collapse: collapse; font-size: 0.9em; line-height: 1.45; }
.prose :is(th, td) { padding: 0.35em 0.7em; text-align: start; vertical-align: top; border: 1px solid var(--own-line); }
.prose th { font-weight: 600; background: color-mix(in srgb, var(--own-raised) 55%, transparent); }
.prose .right { text-align: end; font-variant-numeric: tabular-nums; }
.prose .center { text-align: center; }
.prose .as-is { white-space: pre-wrap; }
.prose .wrapped { white-space: normal; }
.record > div { display: grid; grid-template-columns: minmax(6rem, 12rem) minmax(0, 1fr); gap: 0.2em 1em; padding: 0.35em 0; border-bottom: 1px solid var(--own-line); }
.record dt { color: var(--own-quiet); }
.record dd { margin: 0; white-space: pre-wrap; }
@media (max-width: 30rem) { .record > div { grid-template-columns: minmax(0, 1fr); gap: 0; } }
.page-break {
  display: block; height: 2.6em; overflow: hidden; white-space: nowrap; text-align: center; font-size: 0.8em; line-height: 2.6em; color: var(--own-quiet);
  background: linear-gradient(var(--own-line), var(--own-line)) center / 100% 1px no-repeat;
}
.page-break::before { content: attr(data-page); padding: 0 0.8em; background: var(--own-back); }
`;

const SEARCH = `
.list {
  position: absolute; z-index: 10; inset-inline: 0; margin: 0.25rem 0 0; padding: 0.25rem; list-style: none;
  max-height: var(--vademecum-list-height, min(28rem, 60vh)); overflow-y: auto; background: var(--own-back);
  border: 1px solid var(--own-line); border-radius: var(--own-round); box-shadow: 0 0.4rem 1.2rem rgb(0 0 0 / 0.2);
}
.hit { padding: 0.5em 0.7em; border-radius: calc(var(--own-round) - 0.15rem); cursor: pointer; }
.hit[aria-selected="true"] { outline: 2px solid var(--own-accent); outline-offset: -2px; background: color-mix(in srgb, var(--own-accent) 12%, var(--own-back)); }
.title { display: block; font-weight: 600; overflow-wrap: anywhere; }
.excerpt { display: block; font-size: 0.925em; overflow-wrap: anywhere; }
`;

const ASK = `
.form { display: flex; gap: 0.5rem; }
.form .field { flex: 1; min-width: 0; }
.heading { margin: 0.8em 0 0.3em; font-size: 1em; font-weight: 600; }
.choices { display: flex; flex-wrap: wrap; gap: 0.5rem; margin: 0.6em 0 0; }
`;

const ANSWER = `
.body:empty:not(.writing), .sources:empty { display: none; }
.text { white-space: pre-wrap; }
.text blockquote { color: var(--own-quiet); }
.cite { padding: 0 0.25em; border: 0; background: none; color: var(--own-accent); cursor: pointer; font-size: 0.875em; }
.cite.sourced { font-style: italic; }
.unsupported { text-decoration: underline dotted var(--own-doubt); text-underline-offset: 0.25em; }
.unsupported-row td:first-child { box-shadow: inset 3px 0 0 var(--own-doubt); }
.quotes { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.7rem; }
.quote { margin: 0; padding: 0.7em 0.9em; border: 1px solid var(--own-line); border-radius: var(--own-round); }
.quote:hover .source { text-decoration: underline; }
.quote .path { position: relative; }
.quote .cite::after { content: ""; position: absolute; inset: 0; }
.words { margin: 0.4em 0 0; white-space: pre-line; color: var(--own-quiet); }
.words .quoted { background: none; color: var(--own-ink); font-size: 1.08em; }
.words :is(pre, td, th) .quoted { font-size: 1em; }
.body :not(pre) > code { padding: 0.1em 0.3em; border-radius: 0.3em; background: var(--own-raised); }
.heading { margin: 0.8em 0 0.3em; font-size: 1em; font-weight: 600; }
.sources { display: grid; gap: 0.3em; margin: 0.5em 0 0; padding: 0; list-style: none; }
.writing:empty::after, .writing > :last-child:not(ul, ol, pre, blockquote, .table)::after, .writing > :last-child:is(ul, ol, blockquote) > :last-child::after, .writing > pre:last-child > code::after {
  content: "▍"; color: var(--own-accent); animation: pulse 1s steps(2) infinite;
}
@keyframes pulse { 50% { opacity: 0.3; } }
@media (prefers-reduced-motion: reduce) { .writing ::after { animation: none !important; } }
`;

const HITS = `
.hits { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.8rem; margin: 0; padding: 0; list-style: none; isolation: isolate; }
.found-in { border: 1px solid var(--own-line); border-radius: var(--own-round); background: var(--own-back); overflow: clip; }
.found-in > .path { display: flex; gap: 0.6rem; justify-content: space-between; margin: 0; padding: 0.7rem 1rem 0; color: inherit; }
.title { font-weight: 600; }
.why { white-space: nowrap; font-size: 0.85em; color: var(--own-quiet); }
.hit { position: relative; padding: 0.35rem 1rem 0.8rem; }
.hit + .hit { border-top: 1px solid var(--own-line); padding-top: 0.65rem; }
.hit:hover { background: color-mix(in srgb, var(--own-accent) 5%, transparent); }
.place { padding: 0; border: 0; background: none; color: var(--own-quiet); font-size: 0.875em; text-align: start; overflow-wrap: anywhere; cursor: pointer; }
.place.untold { position: absolute; inset: 2px; color: transparent; }
.place::after { content: ""; position: absolute; inset: 0; z-index: 1; }
.excerpt { max-height: 9em; margin-top: 0.2rem; overflow: hidden; white-space: pre-line; }
.excerpt.whole { max-height: none; }
.excerpt.cut { mask-image: linear-gradient(#000 calc(100% - 2.5em), transparent); }
.excerpt .near { font-weight: 600; }
.excerpt pre, .excerpt .table { overflow: hidden; }
.excerpt .table { overflow-wrap: anywhere; background: none; font-size: 0.92em; }
.excerpt :is(th, td) { padding: 0.25em 0.4em; hyphens: auto; }
.excerpt td.right { white-space: nowrap; }
.excerpt > * + *, .excerpt blockquote > * + *, .excerpt > * + :is(h3, h4, h5, h6) { margin-top: 0.55em; }
.excerpt :is(h3, h4, h5, h6) { font-size: 1em; }
`;

const READER = `
:host(:not([open])) { display: none; }
:host { display: flex; flex-direction: column; margin-block: 1rem; }
.titles { min-width: 0; }
.head .path { margin: 0.2em 0 0; }
.head { display: flex; justify-content: space-between; align-items: start; gap: 1rem; }
.heading { margin: 0; font-size: 1.15em; overflow-wrap: anywhere; }
.text { flex: 0 1 auto; min-height: 0; margin: 0.6em 0 0; max-height: var(--vademecum-reader-height, 70vh); overflow-y: auto; }
.text mark { padding: 0.1em 0.15em; scroll-margin: 30vh; }
@media (forced-colors: active) { .text mark.quoted { outline: 2px solid; outline-offset: 1px; } }
`;

const TEXTS = { search: SHARED + SEARCH, ask: SHARED + ASK, answer: SHARED + PROSE + ANSWER, hits: SHARED + PROSE + HITS, reader: SHARED + PROSE + READER };
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
