// The sample library: chapters of a book with their vectors, imported on the first visit only.

import { SAMPLE } from "./library/names.js";
import { remembered } from "./remember.js";
import { t } from "./words.js";

const ADDRESS = "library/rust-book.library";
export const COLLECTION = SAMPLE;

/** Imports the sample, unless these are the collections of a library that has had it; `onSearchable` is called when all of it is searchable. */
export async function addSample(kb, { collections = [], onProgress, onSearchable }) {
  const fetching = early;
  early = null;
  if (collections.some(isOfSample)) return onSearchable();
  let isSearchable = false;
  const searchable = () => {
    if (!isSearchable) onSearchable();
    isSearchable = true;
  };
  const told = (progress) => {
    searchable(); // the first progress is reported when searches find the documents, before these are stored
    onProgress(progress);
  };
  await kb.import(await (fetching ?? fetched()), { onProgress: told });
  searchable();
}

async function fetched() {
  try {
    const response = await fetch(ADDRESS);
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return await response.arrayBuffer();
  } catch (error) {
    throw new Error(
      t`The sample, ${ADDRESS}, could not be loaded (${error.message}), so it is not in your library. Check your connection, then add it in the library tab, under Storage. You can add your own files without it.`,
      { cause: error },
    );
  }
}

/** Whether this is the sample's collection, which remains after the sample's removal, with its description. */
const isOfSample = ({ name, description }) => name === COLLECTION && description;

/** The sample, if this is a first visit: it is fetched while the library is being opened. */
let early = remembered("examples", null) === null ? fetched() : null;
early?.catch(() => {}); // reported when it is imported
