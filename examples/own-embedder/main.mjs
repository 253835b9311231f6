// Finds passages by meaning with vectors from a function of your own: here words of one topic count as one, which finds synonyms.
// Run: npm install ../../target/package/vademecum-0.1.0.tgz      (made by `cargo xtask package`)
//      node main.mjs "holiday"

import { Embedder, KnowledgeBase } from "vademecum/direct";

const [query = "holiday"] = process.argv.slice(2);

/** In the place of a model: a dimension for each topic, and one for what has none. */
const TOPICS = [/leave|holiday|vacation/g, /train|journey|trip/g, /laptop|computer|device/g];
const vectorOf = (text) => [...TOPICS.map((topic) => text.toLowerCase().match(topic)?.length ?? 0), 0.1];

const kb = await KnowledgeBase.memory({
  embedder: Embedder.custom(async (texts) => texts.map(vectorOf), { id: "topics v1", threshold: 0.6 }),
});
await kb.add([
  { id: "leave.md", text: "Every employee has 30 days of paid leave a year." },
  { id: "travel.md", text: "Book trains in second class, and hand in receipts after the journey." },
  { id: "equipment.md", text: "Laptops are replaced after four years." },
]);

for (const mode of /** @type {const} */ (["keyword", "vector"])) {
  const { hits } = await kb.search(query, { mode, threshold: 0.6 });
  console.log(`${mode}: ${hits.map(({ docId }) => docId).join(", ") || "nothing"}`);
}
await kb.close();
