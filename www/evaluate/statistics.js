// What a handful of questions can say, and what they cannot.

const Z = 1.96; // of 95 %

/**
 * Where the true mean of a measure from 0 to 1 lies, by Wilson's interval. For measures with values between, such as nDCG, it is
 * wider than it need be, never too narrow by its form; and it is no point where all questions went the same way.
 */
export function interval(mean, n) {
  const spread = Z * Z / n;
  const middle = (mean + spread / 2) / (1 + spread);
  const half = (Z / (1 + spread)) * Math.sqrt((mean * (1 - mean)) / n + spread / (4 * n));
  return { low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

/** How often one is better than the other on the same questions, and how likely that is by chance (the sign test). */
export function compare(ours, theirs) {
  const wins = ours.filter((value, at) => value > theirs[at] + 1e-9).length;
  const losses = ours.filter((value, at) => value < theirs[at] - 1e-9).length;
  return { wins, losses, ties: ours.length - wins - losses, chance: signTest(wins, losses) };
}

/** Two-sided: as many on one side, or more, of as many throws of a coin. */
function signTest(wins, losses) {
  const n = wins + losses;
  if (n === 0) return 1;
  let [ways, sum] = [1, 0]; // ways to have `k` of `n`, in halves of 2^n
  for (let k = 0; k <= Math.min(wins, losses); k++) {
    sum += ways * 2 ** -n;
    ways = (ways * (n - k)) / (k + 1);
  }
  return Math.min(1, 2 * sum);
}
