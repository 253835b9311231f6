// hnswlib-wasm in a tab, over the vectors beside a library. Its functions run on the page.

/**
 * Adds all vectors to an index; of a trial, only reserves its memory. `failed` says why that could not be done.
 * @returns {Promise<{ seconds?: number, reserved?: number, isTrial?: boolean, failed?: string }>}
 */
export async function build({ count, dimensions, isTrial }) {
  /** Vectors that are fetched at once. */
  const SOME = 4096;
  const address = "/hnswlib/hnswlib.mjs";
  try {
    const { default: load } = await import(address);
    const module = await load();
    const index = new module.HierarchicalNSW("ip", dimensions, "");
    index.initIndex(count, 16, 200, 100);
    if (isTrial) return { isTrial, reserved: module.HEAPU8.length };
    let spent = 0;
    for (let at = 0; at < count; at += SOME) {
      const bytes = (row) => row * dimensions * 4;
      const response = await fetch("/library/vectors.f32", { headers: { range: `bytes=${bytes(at)}-${bytes(Math.min(count, at + SOME)) - 1}` } });
      const vectors = new Float32Array(await response.arrayBuffer());
      const began = performance.now();
      for (let row = 0; row * dimensions < vectors.length; row++) index.addPoint(vectors.subarray(row * dimensions, (row + 1) * dimensions), at + row, false);
      spent += performance.now() - began;
    }
    globalThis.hnswlib = index;
    globalThis.engines["hnswlib-wasm"] = async ({ vector }) => Array.from(index.searchKnn(vector, 10, undefined).neighbors);
    return { seconds: spent / 1000, reserved: module.HEAPU8.length };
  } catch (thrown) {
    return { failed: String(thrown?.message ?? thrown) };
  }
}

/** Sets the least `ef` whose recall is high enough, or else the greatest. Returns its name. */
export async function settle(least) {
  for (const ef of [10, 15, 20, 30, 40, 60, 80, 100, 150, 200, 300, 400]) {
    globalThis.hnswlib.setEfSearch(ef);
    let [found, wanted] = [0, 0];
    for (const question of globalThis.questions) {
      const ids = await globalThis.engines["hnswlib-wasm"](question);
      found += question.rows.filter((row) => ids.includes(row)).length;
      wanted += question.rows.length;
    }
    if (found / wanted >= least || ef === 400) return { setting: `efSearch ${ef}` };
  }
}
