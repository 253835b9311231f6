// The sample library: chapters of a book with their vectors, imported on the first visit only.

import { SAMPLE } from "./library/names.js";
import { t } from "./words.js";

const ADDRESS = "library/rust-book.library";
export const COLLECTION = SAMPLE;

/** Imports the sample if this browser has not had it yet, or if `again` is set; `onSearchable` is called when all of it is searchable. */
export async function addSample(kb, { again = false, onProgress, onSearchable }) {
  if (!again && (await hasHadSample(kb))) return onSearchable();
  let isSearchable = false;
  const searchable = () => {
    if (!isSearchable) onSearchable();
    isSearchable = true;
  };
  const told = (progress) => {
    searchable(); // the first progress is reported when searches find the documents, before these are stored
    onProgress(progress);
  };
  await kb.import(await fetched(), { onProgress: told });
  searchable();
}

async function fetched() {
  try {
    const response = await fetch(ADDRESS);
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return await response.blob();
  } catch (error) {
    throw new Error(
      t`The sample, ${ADDRESS}, could not be loaded (${error.message}), so it is not in your library. Check your connection, then add it in the library tab, under Storage. You can add your own files without it.`,
      { cause: error },
    );
  }
}

/** Returns whether the sample was ever imported: after its removal, the collection remains, with its description. */
const hasHadSample = async (kb) => (await kb.stats()).collections.some(({ name, description }) => name === COLLECTION && description);
