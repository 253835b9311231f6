// Reads large tables away from the page, and hands their rows over in parts: taking in all of them at once would stop the page.

import { readFile } from "../../vademecum/files/read.js";

/** Tables that were read, by the number of their request. */
const tables = new Map();

const answers = {
  /** Reads a table, and returns the ids of its rows. */
  async read({ request, bytes, id, name }) {
    const { documents, notes } = await readFile(bytes, { id, name });
    tables.set(request, documents);
    return { ids: documents.map((one) => one.id), notes };
  },
  /** Returns some of its rows. */
  take: ({ request, from, to }) => tables.get(request)?.slice(from, to) ?? [],
};

self.addEventListener("message", async ({ data: { call, ask, ...given } }) => {
  try {
    self.postMessage({ call, result: await answers[ask](given) });
  } catch ({ message, code }) {
    self.postMessage({ call, error: { message, code } });
  }
});
