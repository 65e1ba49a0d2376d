/** Axes of drawings: from amounts to places, and which amounts to write beside them. */
export interface Axis {
  readonly max: number;
  /** From 0 at the beginning to 1 at `max`; what is beyond either is put there. */
  at(amount: number): number;
  readonly ticks: readonly number[];
}

/** From nothing to `max`; ticks are 1, 2 or 5 times a power of ten units. */
export function linearAxis(max: number, tickCount = 4, unit = 1): Axis {
  const end = max > 0 ? max : unit;
  const step = niceStep(end / unit / tickCount) * unit;
  const count = Math.floor(end / step + 1e-9);
  return {
    max: end,
    at: (amount) => clamped(amount / end),
    ticks: Array.from({ length: count + 1 }, (_, at) => at * step),
  };
}

/** Around amounts of which none is nothing: it begins where they do. */
export function spanAxis(min: number, max: number, tickCount = 4): Axis {
  const margin = (max - min || max || 1) * 0.15;
  const [first, last] = [min - margin, max + margin];
  const step = niceStep((last - first) / tickCount);
  const count = Math.floor(last / step + 1e-9) - Math.ceil(first / step - 1e-9) + 1;
  const from = Math.ceil(first / step - 1e-9);
  return {
    max: last,
    at: (amount) => clamped((amount - first) / (last - first)),
    ticks: Array.from({ length: count }, (_, at) => (from + at) * step),
  };
}

/** From `min` to `max`, both positive, with a tick at every power of `base` in between. */
export function logAxis(min: number, max: number, base = 10): Axis {
  const log = (amount: number): number => Math.log(amount) / Math.log(base);
  const [first, last] = [log(min), Math.max(log(max), log(min) + 0.1)];
  const stride = Math.max(1, Math.ceil((last - first) / 5));
  const ticks: number[] = [];
  for (let power = Math.ceil(first - 1e-9); power <= last + 1e-9; power += stride) {
    ticks.push(base ** power);
  }
  return {
    max,
    at: (amount) => (amount <= 0 ? 0 : clamped((log(amount) - first) / (last - first))),
    ticks,
  };
}

/** 1, 2 or 5 times a power of ten, not below `least`. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const digit = least / power;
  return (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10) * power;
}

function clamped(share: number): number {
  return Number.isFinite(share) ? Math.min(1, Math.max(0, share)) : share > 0 ? 1 : 0;
}
