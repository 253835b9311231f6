// Statistics for small samples.

const Z = 1.96; // for 95 %

/**
 * Returns Wilson's confidence interval for the mean of a measure from 0 to 1. For measures with intermediate values, such as nDCG, it is
 * wider than necessary, never too narrow; and it has a positive width even if all questions have the same result.
 */
export function interval(mean, n) {
  const spread = Z * Z / n;
  const middle = (mean + spread / 2) / (1 + spread);
  const half = (Z / (1 + spread)) * Math.sqrt((mean * (1 - mean)) / n + spread / (4 * n));
  return { low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

/** Returns how often one strategy is better than the other on the same questions, and the probability of that by chance (sign test). */
export function compare(ours, theirs) {
  const wins = ours.filter((value, at) => value > theirs[at] + 1e-9).length;
  const losses = ours.filter((value, at) => value < theirs[at] - 1e-9).length;
  return { wins, losses, ties: ours.length - wins - losses, chance: signTest(wins, losses) };
}

/** Two-sided: the probability of a result at least as uneven in as many coin tosses. */
function signTest(wins, losses) {
  const n = wins + losses;
  if (n === 0) return 1;
  let [ways, sum] = [1, 0]; // number of ways to choose `k` of `n`, in units of 2^-n
  for (let k = 0; k <= Math.min(wins, losses); k++) {
    sum += ways * 2 ** -n;
    ways = (ways * (n - k)) / (k + 1);
  }
  return Math.min(1, 2 * sum);
}
