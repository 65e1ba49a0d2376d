/** What a lifecycle has done so far. Counters rise only after the commit that they count. */
import type { LifecycleTotals } from "../../model/lifecycle.ts";

export const NO_TOTALS: LifecycleTotals = {
  moved: 0,
  movedBytes: 0,
  edited: 0,
  removed: 0,
  returned: 0,
  ru: 0,
};

export class LifecycleTally {
  #totals: LifecycleTotals;

  constructor(totals: LifecycleTotals) {
    this.#totals = totals;
  }

  get totals(): LifecycleTotals {
    return this.#totals;
  }

  add(more: Partial<LifecycleTotals>): void {
    this.#totals = combined(this.#totals, more, 1);
  }
}

/** What came to `before` until it was `after`. */
export function sinceTotals(before: LifecycleTotals, after: LifecycleTotals): LifecycleTotals {
  return combined(after, before, -1);
}

function combined(
  one: LifecycleTotals,
  other: Partial<LifecycleTotals>,
  sign: 1 | -1,
): LifecycleTotals {
  return {
    moved: one.moved + sign * (other.moved ?? 0),
    movedBytes: one.movedBytes + sign * (other.movedBytes ?? 0),
    edited: one.edited + sign * (other.edited ?? 0),
    removed: one.removed + sign * (other.removed ?? 0),
    returned: one.returned + sign * (other.returned ?? 0),
    ru: one.ru + sign * (other.ru ?? 0),
  };
}
