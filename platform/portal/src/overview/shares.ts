/** Whole percents of these numbers that are 100 together: what is lost by rounding goes to those that lost most. */
export function percents(counts: readonly number[]): number[] {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return counts.map(() => 0);
  const exact = counts.map((count) => (100 * count) / total);
  const shares = exact.map(Math.floor);
  const lost = exact
    .map((share, index) => ({ index, rest: share - Math.floor(share) }))
    .sort((one, other) => other.rest - one.rest || one.index - other.index);
  const missing = 100 - shares.reduce((sum, share) => sum + share, 0);
  for (const { index } of lost.slice(0, missing)) shares[index] = (shares[index] ?? 0) + 1;
  return shares;
}
