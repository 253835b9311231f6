// The texts of the elements, in English and German. Pages replace any of them by the property `labels`.

/** Returns a question without its mark: the sentence around it has one. */
export const withoutMark = (query) => query.replace(/[?？\s]+$/u, "");

const english = {
  search: "Search",
  placeholder: "Search",
  results: "Results",
  searching: "Searching…",
  found: (count) => (count === 1 ? "1 passage" : `${count} passages`),
  nothing: "Nothing found.",
  searchedFor: (query) => `Results for “${query}”`,
  incomplete: "Some of the library could not be read.",
  question: "Your question",
  askPlaceholder: "Ask a question",
  ask: "Ask",
  stop: "Stop",
  stopped: "Stopped.",
  reading: "Searching the documents…",
  writing: "Writing…",
  answered: "The answer is there.",
  answer: "Answer",
  quotes: "From the documents, word for word",
  sources: "Sources",
  abstained: "No answer found in the documents.",
  nearest: "The nearest passages",
  didYouMean: (query) => `Did you mean “${withoutMark(query)}”?`,
  quotedInstead: (why) => `The language model could not answer, so the documents are quoted. ${why}`,
  source: (number, title) => `Source ${number}: ${title}`,
  citation: (number) => `[${number}]`,
  foundSource: (source) => `${source} (found by comparing words; the model did not name it)`,
  unsupportedSentence: "No passage that was found supports this sentence",
  unsupportedRow: "No passage that was found supports this row",
  page: (number) => `page ${number}`,
  pageBreak: (number) => `Page ${number}`,
  slideBreak: (number) => `Slide ${number}`,
  emptyPage: "No text on this page.",
  table: "Table",
  loading: "Loading…",
  close: "Close",
  noSource: "Nothing to search is set. Set the property `source`, or the attribute `src` where the element has one.",
};

const german = {
  search: "Suche",
  placeholder: "Suchen",
  results: "Treffer",
  searching: "Suche läuft …",
  found: (count) => (count === 1 ? "1 Textstelle" : `${count} Textstellen`),
  nothing: "Nichts gefunden.",
  searchedFor: (query) => `Treffer für „${query}“`,
  incomplete: "Ein Teil der Bibliothek konnte nicht gelesen werden.",
  question: "Ihre Frage",
  askPlaceholder: "Eine Frage stellen",
  ask: "Fragen",
  stop: "Anhalten",
  stopped: "Angehalten.",
  reading: "Die Dokumente werden durchsucht …",
  writing: "Die Antwort wird geschrieben …",
  answered: "Die Antwort ist da.",
  answer: "Antwort",
  quotes: "Wörtlich aus den Dokumenten",
  sources: "Quellen",
  abstained: "In den Dokumenten steht keine Antwort.",
  nearest: "Die nächstliegenden Textstellen",
  didYouMean: (query) => `Meinten Sie „${withoutMark(query)}“?`,
  quotedInstead: (why) => `Das Sprachmodell konnte nicht antworten, daher werden die Dokumente zitiert. ${why}`,
  source: (number, title) => `Quelle ${number}: ${title}`,
  citation: (number) => `[${number}]`,
  foundSource: (source) => `${source} (durch Vergleich der Wörter gefunden; das Modell hat sie nicht genannt)`,
  unsupportedSentence: "Keine gefundene Textstelle belegt diesen Satz",
  unsupportedRow: "Keine gefundene Textstelle belegt diese Zeile",
  page: (number) => `Seite ${number}`,
  pageBreak: (number) => `Seite ${number}`,
  slideBreak: (number) => `Folie ${number}`,
  emptyPage: "Kein Text auf dieser Seite.",
  table: "Tabelle",
  loading: "Wird geladen …",
  close: "Schließen",
  noSource: "Es ist nichts gesetzt, worin gesucht werden kann. Setzen Sie die Eigenschaft `source` oder, wo das Element es hat, das Attribut `src`.",
};

const BUILT_IN = { en: english, de: german };

/** Returns the language of an element: that of the nearest `lang`, also outside of the shadow trees that it is in, or the browser's. */
export function languageOf(element) {
  for (let at = element; at; at = at.getRootNode().host ?? null) {
    const marked = at.closest?.("[lang]");
    if (marked?.getAttribute("lang")) return marked.getAttribute("lang");
  }
  return globalThis.navigator?.language ?? "en";
}

/** @returns the texts in a language, English where it is not built in, with the page's own in place of some */
export function labelsOf(language, own) {
  const builtIn = BUILT_IN[language.toLowerCase().split("-")[0]] ?? english;
  const given = Object.entries(own ?? {}).map(([name, value]) => [name, typeof builtIn[name] === "function" && typeof value !== "function" ? () => value : value]);
  return { ...builtIn, ...Object.fromEntries(given) };
}
