/**
 * How load is spread over the day: 24 factors of the mean rate, hour by hour.
 *
 * Where nobody has declared the hours, the peak lasts three hours and rises and falls around them;
 * only its height matters for limits, and its width for what autoscale costs.
 */
export const HOURS = 24;
const PEAK_HOURS = [19, 20, 18, 21, 17, 22, 16, 23];
const PLATEAU = 3;

/** The highest factor is the peak factor, if hours can be that far above their mean. */
export function hourFactors(
  peakFactor: number,
  weights: readonly number[] | undefined,
): readonly number[] {
  if (weights !== undefined) {
    const mean = weights.reduce((sum, weight) => sum + weight, 0) / HOURS;
    return weights.map((weight) => (mean === 0 ? 1 : weight / mean));
  }
  if (peakFactor <= 1) return Array.from({ length: HOURS }, () => 1);
  const peak = Math.min(peakFactor, HOURS);
  const peakCount = Math.max(1, Math.min(PLATEAU, Math.floor(HOURS / peak)));
  const rest = Math.max(0, (HOURS - peakCount * peak) / (HOURS - peakCount));
  const peaks = new Set(PEAK_HOURS.slice(0, peakCount));
  return Array.from({ length: HOURS }, (_, hour) => (peaks.has(hour) ? peak : rest));
}

/**
 * By how much the busiest seconds of the busiest hour are above its mean: what a declared peak has
 * beyond its hours.
 */
export function peakWithinHour(peakFactor: number, factors: readonly number[]): number {
  return Math.max(1, peakFactor / Math.max(...factors));
}
