// Small libraries that replace the book's, for tests that need few documents with known words.

const SITE = new URL("../../../target/site/", import.meta.url);

export const SAMPLE = {
  title: "Notes",
  authors: "nobody in particular",
  license: "CC0-1.0",
  documents: [
    { id: "tides", title: "Tides", format: "markdown", text: "# Tides\n\nThe moon pulls the sea towards it, and twice a day the water rises." },
    { id: "bread", title: "Bread", format: "markdown", text: "# Bread\n\nFlour, water and salt rise overnight and are baked in a hot oven." },
    { id: "owls", title: "Owls", format: "markdown", text: "# Owls\n\nOwls fly without a sound because the edges of their feathers are soft." },
  ],
};

/** Exports a library of these documents, without vectors, as the page imports it. */
export async function libraryOf({ title, authors, license, documents } = SAMPLE) {
  const { KnowledgeBase } = await import(new URL("vademecum/direct.js", SITE).href);
  const kb = await KnowledgeBase.memory();
  await kb.collection("rust-book", { description: `${title}, by ${authors} (${license})` });
  await kb.add("rust-book", documents);
  const library = Buffer.from(await kb.export());
  await kb.close();
  return library;
}

/** Replaces the book with these notes on all pages of a browser; the response is delayed until `until` resolves. */
export async function useSmallSample(page, until = Promise.resolve()) {
  const body = await libraryOf();
  await page.context().route("**/rust-book.library", async (route) => {
    await until;
    await route.fulfill({ body, contentType: "application/octet-stream" });
  });
}
