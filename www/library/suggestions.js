// Questions that one's own files can answer, made of their headings and of the columns of their tables, without a model.

import { fileOf } from "./catalogue.js";
import { overviewOf } from "./overview.js";
import { language, t } from "../words.js";

/** Documents that are looked at, the newest first. */
const LOOKED_AT = 12;
/** Questions of one document, while others have some, too. */
const MOST_OF_ONE = 2;
const AT_ONCE = 200;
/** Longer documents are read up to here: the page answers meanwhile. */
const READ = 200_000;
/** Hits among which the document of a question has to be. */
const NEAREST = 3;
/** Headings that say nothing of what is below them. */
const EMPTY = /^(introduction|overview|summary|contents|table of contents|preface|foreword|conclusions?|appendix|references|bibliography|notes?|misc\w*|general|other|abstract|index|chapter|part|section|einleitung|inhalt|inhaltsverzeichnis|zusammenfassung|überblick|anhang|vorwort|fazit|sonstiges|allgemeines|kapitel|teil|abschnitt)\b[\s\d.:]*$/i;
/** Headings that lead elsewhere, or are only the number of something. */
const POINTER = /^(see also|see|related( \w+)?|further (reading|information)|read more|more|links?|external links|sources?|examples?|(back|next) .*|(table|figure|fig|listing|box|example|step|day|week|exercise|tabelle|abbildung|abb|beispiel|schritt|siehe auch|weblinks|literatur\w*|quellen|einzelnachweise)\.?\s*(\d[\d.]*|[ivx]+)?)$/i;
/** Verbs and words of a sentence: what holds one is not the name of a thing. */
const SENTENCE = /\b(we|you|i|they|it|us|your|our|my|this|that|these|those|not|don['’]t|am|is|are|was|were|be|do|does|did|has|have|had|can|could|will|would|should|must|may|if|see|use|run|add|get|make|try|let['’]?s|please|here|there)\b/i;
const NUMBERED = /^(?:(?:§|chapter|section|part|kapitel|abschnitt|teil)\s*)?(?:\d+|[ivxlc]+(?=[.):]))(?:\.\d+)*[.):]?\s+/i;
const GERMAN = /\b(der|die|das|und|ist|nicht|mit|von|für|eine[rnms]?|auf|wird|werden)\b/gi;
const ENGLISH = /\b(the|and|is|not|with|of|for|an?|on|to|are|be)\b/gi;
const TITLES = ["title", "name", "subject", "heading", "label"];
const NOT_ASKED = new Set(["type", "file", "folder", "path", "sheet", "table", "id", "url"]);

/** @typedef {{ question: string, collection: string, docId: string, title: string }} Suggestion */

/**
 * Returns questions about the documents that were added last. Each has an answer in its document: what is below a heading, or a cell of a row.
 *
 * @param {any} kb
 * @param {{ limit?: number, collections?: string[], filters?: any[] }} [options] Default of `limit`: 4
 * @returns {Promise<Suggestion[]>}
 */
export async function suggestQuestions(kb, { limit = 4, ...where } = {}) {
  const { total } = await kb.documents({ ...where, limit: 1 });
  const { documents } = await kb.documents({ ...where, offset: Math.max(0, total - AT_ONCE), limit: AT_ONCE });
  const tables = new Set();
  const lists = [];
  for (const one of documents.reverse()) {
    if (lists.length >= LOOKED_AT) break;
    if (one.metadata?.neverSend === true) continue; // a question is sent to the model that is chosen
    const table = fileOf({ ...one, file: typeof one.metadata.file === "string" ? one.metadata.file : undefined });
    if (table !== null && tables.has(table)) continue; // one row stands for its table
    if (table !== null) tables.add(table);
    const document = table === null ? await kb.document(one.collection, one.id).catch(() => null) : null;
    const questions = table === null ? (document ? questionsOf({ ...document, text: document.text.slice(0, READ) }) : []) : questionsOfRow(one.metadata);
    const title = one.title ?? one.id;
    lists.push(questions.map((question) => ({ question, collection: one.collection, docId: one.id, title })));
  }
  return inTurn(lists, limit);
}

/**
 * Returns the first `most` questions for which a search by words finds the document that they are about.
 *
 * @param {any} kb
 * @param {Suggestion[]} suggestions
 * @param {number} most
 * @param {{ filters?: any[] }} [where] the documents that are searched
 */
export async function answeredOnes(kb, suggestions, most, where = {}) {
  const found = [];
  for (const one of suggestions) {
    if (found.length >= most) break;
    const { hits } = await kb.search(one.question, { mode: "keyword", limit: NEAREST, ...where });
    if (hits.some(({ collection, docId }) => collection === one.collection && docId === one.docId)) found.push(one);
  }
  return found;
}

/** Takes a question of each list in turn, and more of the same only where others have none. */
function inTurn(lists, limit) {
  const rounds = Array.from({ length: limit }, (_, at) => lists.map((list) => list[at]).filter(Boolean));
  const [first, later] = [rounds.slice(0, MOST_OF_ONE).flat(), rounds.slice(MOST_OF_ONE).flat()];
  const seen = new Set();
  return [...first, ...later].filter(({ question }) => !seen.has(question) && seen.add(question)).slice(0, limit);
}

/**
 * Returns questions of a document's headings.
 *
 * @param {{ text: string, title?: string | null, metadata?: Record<string, any>, chunks: { headings: string[] }[] }} document
 */
export function questionsOf(document) {
  const { text, metadata = {} } = document;
  if (metadata.type === "code") return [];
  const isGerman = (text.slice(0, 3000).match(GERMAN)?.length ?? 0) > (text.slice(0, 3000).match(ENGLISH)?.length ?? 0);
  const title = (document.title ?? "").trim();
  const name = title === "" || /\.\w{1,5}$/.test(title) ? null : title;
  return overviewOf(document).headings.map((heading) => asked(heading, { text, name, isGerman })).filter((one) => one !== null);
}

function asked(heading, { text, name, isGerman }) {
  const own = heading.replace(NUMBERED, "").replace(/[*_`]/g, "").trim();
  if (/[?]$/.test(own) && own.includes(" ")) return own;
  const words = own.split(/\s+/);
  const isPlain = /^[\p{L}\p{N}][\p{L}\p{N} ,'’&-]*$/u.test(own) && /\p{L}{3}/u.test(own) && words.length <= 7;
  if (!isPlain || EMPTY.test(own) || POINTER.test(own) || own.toLowerCase() === name?.toLowerCase()) return null;
  const of = name ? (isGerman ? `„${name}“` : `“${name}”`) : null;
  if (isGerman) return of ? `Was steht in ${of} zu „${own}“?` : `Was steht zu „${own}“?`;
  const how = /^how (?:to|do i|do you) (.+)$/i.exec(own);
  if (how) return `How do I ${how[1]}?`;
  // `What we do` and `Do not` are no questions: without its mark, one has a verb after the word that asks, and more words.
  if (/^(what|why|when|where|who|which|how) (is|are|was|were|can|does|do|did|should|will|has|have) \S/i.test(own)) return `${own[0].toUpperCase()}${own.slice(1)}?`;
  if (/^(what|why|when|where|who|which|how)\b/i.test(own) || SENTENCE.test(own)) return null;
  const said = lowered(own, text);
  const isPhrase = words.length >= 2 && words.length <= 4 && !/\b(and|or|of|with|without|in|for|to|a|an|the)\b|,|&|ing\b/i.test(own);
  if (isPhrase && said !== own) return `What ${isPlural(words.at(-1)) ? "are" : "is"} the ${said}?`;
  return of ? `What does ${of} say about ${said}?` : `What is said about ${said}?`;
}

const isPlural = (word) => /[^su]s$/i.test(word) && !/(is|us|ics|ness)$/i.test(word);

/** Writes words in lower case that the text has in lower case, too: names keep their capitals. */
function lowered(heading, text) {
  const has = (word) => new RegExp(`(?<![\\p{L}\\p{N}])${word}(?![\\p{L}\\p{N}])`, "u").test(text);
  return heading.replace(/\p{Lu}\p{Ll}+/gu, (word) => (has(word.toLowerCase()) ? word.toLowerCase() : word));
}

/**
 * Returns a question about a row: the value of a column of what the row is called.
 *
 * @param {Record<string, any>} metadata
 */
export function questionsOfRow(metadata) {
  const fields = Object.entries(metadata).filter(([name, value]) => !NOT_ASKED.has(name.toLowerCase()) && ["string", "number"].includes(typeof value) && String(value).trim() !== "");
  const called = fields.find(([name]) => TITLES.includes(name.toLowerCase())) ?? fields.find(([, value]) => typeof value === "string" && /\p{L}/u.test(value));
  if (!called || String(called[1]).length > 60) return [];
  const asked = fields.filter(([name]) => name !== called[0] && /^\p{L}[\p{L}\p{N} _-]{2,30}$/u.test(name) && !/^column \d+$/.test(name));
  const written = (name) => (language === "de" ? name : name.toLowerCase()).replace(/[_-]+/g, " "); // German nouns keep their capitals
  return asked.slice(0, 2).map(([name]) => t`What is the ${written(name)} of ${called[1]}?`);
}
