// The batches that our encoder makes of the texts of one call: by length, filled up to a number of tokens (src/embed/batch.rs).

const BUDGET = 512;

/** @param all the token ids of each text */
export function batches(all) {
  const order = all.map((ids, at) => ({ at, length: ids.length })).sort((a, b) => a.length - b.length || a.at - b.at);
  const groups = [];
  for (const { at, length } of order) {
    const last = groups.at(-1);
    if (last && (last.length + 1) * length <= BUDGET) last.push(at);
    else groups.push([at]);
  }
  return groups.map((texts) => padded(texts, texts.map((at) => all[at])));
}

function padded(texts, sequences) {
  const columns = Math.max(...sequences.map((ids) => ids.length));
  const batch = { texts, rows: texts.length, columns, ids: new BigInt64Array(texts.length * columns), mask: new BigInt64Array(texts.length * columns) };
  sequences.forEach((ids, row) =>
    ids.forEach((id, column) => {
      batch.ids[row * columns + column] = BigInt(id);
      batch.mask[row * columns + column] = 1n;
    }),
  );
  return batch;
}
