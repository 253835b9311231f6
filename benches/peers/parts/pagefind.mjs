// The peer's index over the same passages, as its documentation shows for records that are no pages.

import * as pagefind from "pagefind";

/** Writes the index; returns the seconds that it took. */
export async function writePagefind(texts, to) {
  const began = performance.now();
  const { index } = await pagefind.createIndex({});
  if (!index) throw new Error("Pagefind made no index");
  for (let at = 0; at < texts.length; at += 500) {
    const some = texts.slice(at, at + 500);
    await Promise.all(some.map((text, n) => index.addCustomRecord({ url: `/${at + n}`, content: text, language: "en", meta: { title: text.split("\n")[0] } })));
  }
  await index.writeFiles({ outputPath: to });
  await pagefind.close();
  return (performance.now() - began) / 1000;
}
