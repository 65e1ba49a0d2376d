/** From numbers to places: scales, and the round numbers and times that axes name. */

interface Scale {
  readonly from: number;
  readonly to: number;
  /** Where a number lies between 0 and 1; beyond the ends it is beyond them. */
  place(value: number): number;
}

export function linear(from: number, to: number): Scale {
  const extent = to - from;
  return { from, to, place: (value) => (extent === 0 ? 0 : (value - from) / extent) };
}

const STEPS: readonly number[] = [1, 2, 5, 10];

/** Round numbers from 0 up to at least `max`, about `count` of them. */
export function ticksUpTo(max: number, count: number): readonly number[] {
  if (!(max > 0)) return [0];
  const rough = max / count;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const step = magnitude * STEPS.find((each) => each * magnitude >= rough * (1 - 1e-9))!;
  const tickCount = Math.ceil(max / step - 1e-9);
  return Array.from({ length: tickCount + 1 }, (_, index) =>
    Number((index * step).toPrecision(12)),
  );
}

const MINUTE = 60_000;
const TIME_STEPS: readonly number[] = [
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  60 * MINUTE,
  120 * MINUTE,
  180 * MINUTE,
  360 * MINUTE,
  720 * MINUTE,
  1440 * MINUTE,
  2880 * MINUTE,
  10_080 * MINUTE,
];

/** Round times between two instants, at most `count` of them. */
export function timeTicks(from: number, to: number, count: number): readonly number[] {
  if (!(to > from)) return [];
  const step =
    TIME_STEPS.find((each) => (to - from) / each <= count) ??
    Math.ceil((to - from) / count / (1440 * MINUTE)) * 1440 * MINUTE;
  const ticks: number[] = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) ticks.push(at);
  return ticks;
}
