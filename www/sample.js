// The sample library: chapters of a book, added on the first visit and left alone from then on.

const ADDRESS = "library/rust-book.json";
export const COLLECTION = "rust-book";

/**
 * Adds the sample where this browser has not had it yet, or where `again` says so. `onSearchable` is called when words can
 * find all of it: that is long before the vectors are there.
 */
export async function addSample(kb, { again = false, onProgress, onSearchable }) {
  if (!again && (await hasHadSample(kb))) return onSearchable();
  const sample = await fetched();
  await kb.collection(COLLECTION);
  const description = `${sample.title}, by ${sample.authors} (${sample.license})`;
  let described = null;
  const onceRead = (progress) => {
    if (progress.phase === "embed" && described === null) {
      described = kb.collection(COLLECTION, { description }); // saved with the documents, and not before them
      described.catch(() => {}); // told below
      onSearchable();
    }
    onProgress(progress);
  };
  const documents = sample.documents.map((document) => ({ ...document, metadata: { ...document.metadata, chapter: chapterOf(document.id) } }));
  await kb.add(COLLECTION, documents, { onProgress: onceRead });
  await (described ?? kb.collection(COLLECTION, { description })); // where all of it was understood already
  if (described === null) onSearchable();
}

async function fetched() {
  try {
    const response = await fetch(ADDRESS);
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return await response.json();
  } catch (error) {
    throw new Error(
      `The sample, ${ADDRESS}, could not be loaded (${error.message}), so it is not in your library. Check your connection, then add it in the library tab, under Storage. Your own files can be added as they are.`,
      { cause: error },
    );
  }
}

/**
 * Whoever has removed the sample does not want it back at the next visit: the collection stays, with its description. Without one,
 * the tab was closed before all of it was there.
 */
const hasHadSample = async (kb) => (await kb.stats()).collections.some(({ name, description }) => name === COLLECTION && description);

const chapterOf = (id) => Number(/ch(\d+)/.exec(id)?.[1] ?? 0);
