/** What a router asked, by container and key: the numbers of its report. */

import { keyText } from "../keys/client/partitionKey.ts";
import type { KeyComponent } from "../keys/component.ts";
import type { TierName } from "./pieces.ts";
import type { RouteKeyTotals, TierTotals } from "./routeTypes.ts";

interface Answered {
  readonly ru: number;
  readonly rowCount: number;
  /** Whether other versions of rows were asked for. */
  readonly isCheck?: boolean;
}

type Totals = { -readonly [name in keyof TierTotals]: TierTotals[name] };
type KeyEntry = Totals & Pick<RouteKeyTotals, "tier" | "key">;

export class RouteLedger {
  readonly #entries = new Map<string, KeyEntry>();
  leftOutCount = 0;

  /** One request that was answered. */
  add(tier: TierName, key: readonly KeyComponent[] | undefined, answered: Answered): void {
    const name = `${tier} ${key === undefined ? "" : keyText(key)}`;
    const entry = this.#entries.get(name) ?? { tier, key, ...nothing() };
    this.#entries.set(name, entry);
    entry.ru += answered.ru;
    entry.requestCount++;
    entry.rowCount += answered.rowCount;
    if (answered.isCheck === true) entry.checkCount++;
  }

  /** In the order in which they were first answered. */
  get byKey(): readonly RouteKeyTotals[] {
    return [...this.#entries.values()].map((entry) => ({ ...entry }));
  }

  get byTier(): Readonly<Partial<Record<TierName, TierTotals>>> {
    const tiers: Partial<Record<TierName, Totals>> = {};
    for (const entry of this.#entries.values()) {
      tiers[entry.tier] ??= nothing();
      const totals = tiers[entry.tier]!;
      totals.ru += entry.ru;
      totals.requestCount += entry.requestCount;
      totals.rowCount += entry.rowCount;
      totals.checkCount += entry.checkCount;
    }
    return tiers;
  }
}

function nothing(): Totals {
  return { ru: 0, requestCount: 0, rowCount: 0, checkCount: 0 };
}
