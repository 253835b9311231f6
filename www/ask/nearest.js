// The sentence that comes nearest to a question that is not answered, and where the list of passages has it.

/** Returns the hit of a list that has the nearest sentence of a result, or undefined. */
export function nearestIn({ nearest, contextUsed }, hits) {
  const passage = nearest && contextUsed[nearest.number - 1];
  if (!passage) return undefined;
  const { start, end } = nearest.span;
  const hasIt = (hit) => hit.collection === passage.collection && hit.docId === passage.docId && hit.span.start <= start && end <= hit.span.end;
  return hits.find(({ id }) => id === passage.id) ?? hits.find(hasIt);
}
