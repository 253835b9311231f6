// The sample library: chapters of a book, added on the first visit and left alone from then on.

const ADDRESS = "library/rust-book.json";
const COLLECTION = "rust-book";

/**
 * Adds the sample where this browser has not had it yet, or where `again` says so. `onSearchable` is called when words can
 * find all of it: that is long before the vectors are there.
 */
export async function addSample(kb, { again = false, onProgress, onSearchable }) {
  if (!again && (await hasHadSample(kb))) return onSearchable();
  const response = await fetch(ADDRESS);
  if (!response.ok) throw new Error(`The sample library could not be loaded (HTTP ${response.status}).`);
  const sample = await response.json();
  await kb.collection(COLLECTION, { description: `${sample.title}, by ${sample.authors} (${sample.license})` });
  const onceRead = (progress) => {
    if (progress.phase === "embed" && progress.loaded === 0) onSearchable();
    onProgress(progress);
  };
  const documents = sample.documents.map((document) => ({ ...document, metadata: { ...document.metadata, chapter: chapterOf(document.id) } }));
  await kb.add(COLLECTION, documents, { onProgress: onceRead });
}

/** Whoever has removed the sample does not want it back at the next visit: the collection stays declared. */
const hasHadSample = async (kb) => (await kb.stats()).collections.some(({ name }) => name === COLLECTION);

const chapterOf = (id) => Number(/ch(\d+)/.exec(id)?.[1] ?? 0);
