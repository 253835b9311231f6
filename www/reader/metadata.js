// The address and the metadata of a document, folded, by the names used in filters.

import { byId, h } from "../dom.js";

export function showMetadata(metadata) {
  const values = valuesOf(metadata);
  const folded = byId("reader-metadata");
  folded.hidden = values.length === 0;
  folded.open = false;
  byId("reader-metadata-count").textContent = String(values.length);
  byId("reader-values").replaceChildren(...values.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}

/** Flattens metadata: `{ author: { name: "Ada" } }` → `["author.name", "Ada"]`. */
function valuesOf(metadata, above = "") {
  return Object.entries(metadata).flatMap(([name, value]) => {
    if (value === null || value === "") return [];
    if (Array.isArray(value)) return [[above + name, value.map((one) => (typeof one === "object" ? JSON.stringify(one) : String(one))).join(", ")]];
    return typeof value === "object" ? valuesOf(value, `${above}${name}.`) : [[above + name, String(value)]];
  });
}
