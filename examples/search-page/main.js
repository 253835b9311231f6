// Searches a library that was built in advance while the user types, by words alone, on a page without a bundler.
// Run: npm install ../../target/package/vademecum-0.1.0.tgz      (made by `cargo xtask package`)
//      node build.mjs ../notes
//      npx serve .        (or any other static host)

import { KnowledgeBase } from "vademecum/lite";

const field = document.querySelector("input");
const said = document.querySelector("#said");
const list = document.querySelector("#hits");

const kb = await KnowledgeBase.memory();
const response = await fetch("./notes.library");
if (!response.ok) throw new Error(`notes.library: HTTP ${response.status}. Is it built?`);
const { documents } = await kb.import(await response.blob());
said.textContent = `${documents} documents can be searched.`;
field.disabled = false;

let last = new AbortController();

/** Each key press ends the search before it. */
async function search() {
  last.abort();
  last = new AbortController();
  const { signal } = last;
  const query = field.value.trim();
  const { hits, searchedFor } = query ? await kb.search(query, { prefix: true, limit: 5, signal }) : { hits: [] };
  if (signal.aborted) return;
  list.replaceChildren(...hits.map(lineOf));
  // Where no word as typed is found, the words meant are searched for.
  const meant = searchedFor ? ` for “${searchedFor}”` : "";
  said.textContent = query ? `${hits.length} passages${meant}` : "";
}

function lineOf({ docId, text }) {
  const line = document.createElement("li");
  const source = document.createElement("b");
  source.textContent = docId;
  line.append(source, ` ${text}`);
  return line;
}

field.addEventListener("input", () => {
  search().catch((error) => {
    // A query of signs alone has nothing to look for.
    if (!["aborted", "empty_question"].includes(error.code)) said.textContent = error.message;
  });
});
