// Searches the documentation of a site while the user types: by words at once, and by meaning as well when the model has arrived. The
// library is a folder on the same host, of which a query fetches only what it needs.
// Run: npm install ../../target/package/vademecum-0.1.0.tgz      (made by `cargo xtask package`)
//      vademecum build ../../docs --out docs.library --parts library
//      npx serve .        (or any other static host)
// For meaning, put the model's two files into models/all-minilm-l6-v2 (docs/static-sites.md); without them, words are searched.

import { Embedder } from "vademecum/embedder";
import { attach } from "vademecum/parts";
import { excerpt } from "./excerpt.js";

const MODEL = "./models/all-minilm-l6-v2/";
/** Milliseconds without a key press before a search by meaning; words are searched after each. */
const PAUSE = 250;

const field = document.querySelector("input");
const said = document.querySelector("#said");
const list = document.querySelector("ol");
const page = document.querySelector("article");
let meaning = ""; // how far the model has come, for the status line

/** Attaches the library when the search is first used, so that visitors who do not search load nothing. */
let attaching;
const library = () => (attaching ??= attach("./library/manifest.json", { embedder: embedder(), onProgress }));

const embedder = () => Embedder.onnx({ model: `${MODEL}model.onnx`, tokenizer: `${MODEL}tokenizer.json` });

function onProgress({ loaded, total }) {
  meaning = loaded < total ? ` Search by meaning: ${Math.round((100 * loaded) / total)} % of the model has arrived.` : "";
}

/** Begins to fetch the library and the model; once that is there, repeats the search. */
async function prepare() {
  const attached = await library();
  await attached.loadEmbedder().catch(() => {}); // without a model, words are searched
  meaning = "";
  if (field.value.trim() !== "") await search("hybrid");
}

let last = new AbortController();
let timer;

/** Each search ends the one before it. */
async function search(mode) {
  last.abort();
  last = new AbortController();
  const { signal } = last;
  const query = field.value.trim();
  if (query === "") return clear();
  const attached = await library();
  const found = await attached.search(query, { mode, prefix: true, typos: true, limit: 8, signal });
  if (!signal.aborted) show(query, found);
}

function clear() {
  list.replaceChildren();
  said.textContent = "";
}

function show(query, { hits, total, mode, searchedFor, missing }) {
  page.hidden = true;
  list.hidden = false;
  list.replaceChildren(...hits.map((hit) => lineOf(hit, searchedFor ?? query)));
  const count = total === 1 ? "1 passage" : `${total} passages`;
  const meant = searchedFor ? ` for “${searchedFor}”` : "";
  const lacking = missing ? " Some of the library could not be read." : "";
  said.textContent = `${count}${meant}, by ${mode === "hybrid" ? "words and meaning" : "words"}.${lacking}${meaning}`;
}

function lineOf({ collection, docId, title, headings, text, span }, query) {
  const line = document.createElement("li");
  const link = document.createElement("a");
  link.href = `#${new URLSearchParams({ collection, id: docId, start: span.start, end: span.end })}`;
  link.textContent = headings.at(-1) ?? title ?? docId;
  const source = document.createElement("small");
  source.textContent = ` ${docId}`;
  const passage = document.createElement("p");
  passage.append(...excerpt(text, query));
  line.append(link, source, passage);
  return line;
}

/** Shows the document that the address names, at the passage. */
async function open() {
  const { collection, id, start, end } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  page.hidden = !id;
  list.hidden = Boolean(id);
  if (!id) return;
  const { text, title } = await (await library()).document(collection, id);
  const mark = document.createElement("mark");
  mark.textContent = text.slice(Number(start), Number(end));
  document.querySelector("#title").textContent = title ?? id;
  document.querySelector("#text").replaceChildren(text.slice(0, Number(start)), mark, text.slice(Number(end)));
  page.focus();
  mark.scrollIntoView({ block: "center" });
}

/** Shows an error; a search that was followed by another, or has no letters, is none. */
const tell = (error) => {
  if (!["aborted", "empty_question"].includes(error.code)) said.textContent = error.message;
};

field.addEventListener("input", () => {
  clearTimeout(timer);
  search("keyword").catch(tell);
  timer = setTimeout(() => search("hybrid").catch(tell), PAUSE);
});
field.addEventListener("focus", () => void prepare().catch(tell), { once: true });
document.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
document.querySelector("#back").addEventListener("click", () => history.back());
addEventListener("hashchange", () => void open().catch(tell));
if (location.hash) void open().catch(tell);
