// A description of the map for screen readers: where the last hits are, and which documents are similar.

import { t } from "../words.js";

const MOST_DOCUMENTS = 12;

/**
 * @param points of the map
 * @param found the passages found last, best first
 */
export function told(points, found, nameOf) {
  if (points.length === 0) return [];
  const middles = middlesOf(points);
  return [...found.slice(0, 8).flatMap((hit, at) => place(hit, at + 1, points, middles)), ...alike(middles, nameOf)];
}

function place(hit, rank, points, middles) {
  const point = points.find(({ chunkId }) => chunkId === hit.id);
  if (!point) return [];
  const own = `${point.collection}\u0000${point.docId}`;
  const others = middles.filter(({ key }) => key !== own).sort((a, b) => far(a, point) - far(b, point));
  const near = others[0] ? t`, nearest to passages of ${others[0].docId}` : "";
  return [t`Passage ${rank} of the last question is in ${hit.title ?? hit.docId}${near}.`];
}

function alike(middles, nameOf) {
  const largest = middles.slice(0, MOST_DOCUMENTS);
  return largest.flatMap((one) => {
    const other = middles.filter((middle) => middle !== one).sort((a, b) => far(a, one) - far(b, one))[0];
    return other ? [t`${one.docId} (${nameOf(one.collection)}, ${one.count}) lies nearest to ${other.docId}.`] : [];
  });
}

/** The middle of each document's passages, the largest documents first. */
function middlesOf(points) {
  const groups = new Map();
  for (const { collection, docId, x, y } of points) {
    const key = `${collection}\u0000${docId}`;
    const sum = groups.get(key) ?? { key, collection, docId, x: 0, y: 0, count: 0 };
    groups.set(key, { ...sum, x: sum.x + x, y: sum.y + y, count: sum.count + 1 });
  }
  const middles = [...groups.values()].map((sum) => ({ ...sum, x: sum.x / sum.count, y: sum.y / sum.count }));
  return middles.sort((a, b) => b.count - a.count).slice(0, 200);
}

const far = (one, other) => Math.hypot(one.x - other.x, one.y - other.y);
