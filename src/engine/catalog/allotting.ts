/**
 * Divides rates: gives every physical partition the purse it pays from, and changes it when the
 * rate or the number of those that share it does.
 *
 * A container with a rate of its own has a purse for each of its physical partitions. Containers
 * that share the rate of their database share its purses: there is one for each partition of the
 * container with the fewest partitions, and a partition of another container pays from the purse in
 * whose range its middle lies, so that no purse is left unused. What a purse owes or has saved is
 * inherited by the purses that take over its keys: splits, merges and containers that come and go
 * are no way to spend more.
 */
import type { Clock } from "../../base/world.ts";
import type { Limits } from "../../model/limits.ts";
import type { ProvisionedThroughput, RateSetting } from "../../model/throughput.ts";
import { rateMaxOf } from "../../model/throughput.ts";
import { bucketOf } from "../../model/throughputBucket.ts";
import { positionOf } from "../../partition/keySpace.ts";
import type { PartitionEntry } from "../../partition/partitionMap.ts";
import { allotmentOf, budgetOptionsOf, sharedBudgetIndex } from "../../throughput/allotment.ts";
import { AutoscaleMeter, autoscaledRate } from "../../throughput/autoscale.ts";
import type { BudgetOptions } from "../../throughput/budget.ts";
import { Budget } from "../../throughput/budget.ts";
import type { Holding } from "../../throughput/holding.ts";
import { mergedHolding, partOfHolding } from "../../throughput/holding.ts";
import type { HourPeak } from "../../throughput/hourPeaks.ts";
import { addedHours, partOfHours } from "../../throughput/hourPeaks.ts";
import type { Container } from "../partition/container.ts";
import type { PhysicalPartition } from "../partition/physicalPartition.ts";
import type { Purse } from "../partition/spending.ts";
import { Spending } from "../partition/spending.ts";
import type { Database } from "./database.ts";

interface AllottingSetting {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly rates?: RateSetting | undefined;
  databaseOf(container: Container): Database;
}

/** What one of several equal purses is made for. */
interface Share {
  readonly options: BudgetOptions;
  readonly ratePerSecond: number;
  readonly isAutoscale: boolean;
  readonly defaultBucket: number | undefined;
}

/** What a purse leaves to those that take its place. */
interface Legacy {
  readonly holding?: Holding | undefined;
  readonly hours?: readonly HourPeak[] | undefined;
}

export class Allotting {
  readonly #setting: AllottingSetting;
  readonly #rates: RateSetting;
  readonly #shared = new WeakMap<Database, readonly Purse[]>();

  constructor(setting: AllottingSetting) {
    this.#setting = setting;
    this.#rates = setting.rates ?? {
      isLimited: false,
      isServerless: false,
      hasBurst: false,
      manualRatePerPartition: setting.limits.partitionRateMax,
    };
  }

  /** The purse of a physical partition that is being opened; `reallot` says what it may spend. */
  open(container: Container, { id, range }: PartitionEntry): Spending {
    const { clock } = this.#setting;
    const { record, map } = container;
    const share = this.#shareOf(record.throughput, map.entries.length);
    this.#noteRate(container);
    const meter = container.meter?.open(
      { id, range, allottedRate: share.ratePerSecond },
      clock.now(),
    );
    return new Spending(clock, this.#purseOf(share, {}), meter);
  }

  /** Divides the rate that these containers live on anew; to be called when that rate changed. */
  reallot(containers: readonly Container[]): void {
    const sharing = new Set<Database>();
    for (const container of containers) {
      this.#noteRate(container);
      const database = this.#setting.databaseOf(container);
      if (this.#isSharing(container)) sharing.add(database);
      else {
        const share = this.#shareOf(container.record.throughput, container.partitions.size);
        for (const { spending } of container.partitions.values()) {
          spending.payFrom(this.#purseAfter(spending.purse, share));
        }
      }
    }
    for (const database of sharing) this.#share(database);
  }

  /** Divides a rate anew after physical partitions (`parents`) have given way to others. */
  succeed(container: Container, parents: readonly PhysicalPartition[]): void {
    const ids = parents.map(({ entry }) => entry.id);
    if (!this.#isSharing(container)) {
      const children = [...container.partitions.values()].filter(({ entry }) =>
        ids.some((id) => entry.parents.includes(id)),
      );
      const share = this.#shareOf(container.record.throughput, container.partitions.size);
      const left = together(parents.map(({ spending }) => leftBy(spending.purse)));
      const legacy = partOf(left, 1 / children.length);
      for (const { spending } of children) spending.payFrom(this.#purseOf(share, legacy));
    }
    for (const id of ids) container.meter?.retire(id);
    this.reallot([container]);
  }

  /** Where the autoscale of a database or container is; `undefined` if it has none. */
  rateNow(users: readonly Container[]): number | undefined {
    const levels = autoscalesOf(users).map((autoscale) => autoscale.level());
    return levels.length === 0 ? undefined : autoscaledRate(levels);
  }

  /** The highest `rateNow` since this was last called, or since the rate was last changed. */
  takePeak(users: readonly Container[]): number | undefined {
    const peaks = autoscalesOf(users).map((autoscale) => autoscale.takePeak());
    return peaks.length === 0 ? undefined : autoscaledRate(peaks);
  }

  /** For statistics, which tell when the rate changed. */
  #noteRate(container: Container): void {
    const { record } = this.#setting.databaseOf(container);
    const throughput = container.record.throughput ?? record.throughput;
    const isCounted = throughput !== undefined && !this.#rates.isServerless;
    if (isCounted) container.meter?.noteRate(rateMaxOf(throughput));
  }

  #isSharing(container: Container): boolean {
    const isShared = this.#setting.databaseOf(container).record.throughput !== undefined;
    return isShared && container.record.throughput === undefined && !this.#rates.isServerless;
  }

  #share(database: Database): void {
    const count = database.sharedPartitionCount(this.#setting);
    const share = this.#shareOf(database.record.throughput, count);
    const before = this.#shared.get(database) ?? [];
    const purses =
      before.length === count
        ? before.map((purse) => this.#purseAfter(purse, share))
        : redivided(before.map(leftBy), count).map((legacy) => this.#purseOf(share, legacy));
    this.#shared.set(database, purses);
    const narrowest = database.sharing.find(({ map }) => map.entries.length === count)!;
    const ends = spansOf(narrowest).map(({ to }) => to);
    for (const user of database.sharing) {
      const spans = spansOf(user);
      [...user.partitions.values()].forEach(({ spending }, index) => {
        const { from, to } = spans[index]!;
        const at = user === narrowest ? index : sharedBudgetIndex((from + to) / 2, ends);
        spending.payFrom(purses[at]!);
      });
    }
  }

  #shareOf(recorded: ProvisionedThroughput | undefined, count: number): Share {
    const { limits } = this.#setting;
    const throughput = this.#rates.isServerless ? undefined : recorded;
    const buckets = throughput?.buckets;
    const options = budgetOptionsOf({ throughput, count, buckets }, this.#rates, limits);
    return {
      options,
      ratePerSecond:
        throughput === undefined
          ? limits.serverlessPartitionRateMax
          : allotmentOf(rateMaxOf(throughput), count, limits),
      isAutoscale: throughput?.kind === "autoscale",
      defaultBucket: bucketOf(buckets, undefined)?.id,
    };
  }

  #purseOf(share: Share, { holding, hours }: Legacy): Purse {
    const { clock } = this.#setting;
    const { options, ratePerSecond, isAutoscale, defaultBucket } = share;
    return {
      budget: new Budget(clock, options, holding),
      ratePerSecond,
      autoscale: isAutoscale ? new AutoscaleMeter(clock, ratePerSecond, hours) : undefined,
      defaultBucket,
    };
  }

  /** The same budget at another rate: debts stay. */
  #purseAfter({ budget, autoscale }: Purse, share: Share): Purse {
    budget.reprovision(share.options);
    autoscale?.reprovision(share.ratePerSecond);
    const { ratePerSecond, isAutoscale, defaultBucket } = share;
    return {
      budget,
      ratePerSecond,
      autoscale: isAutoscale
        ? (autoscale ?? new AutoscaleMeter(this.#setting.clock, ratePerSecond))
        : undefined,
      defaultBucket,
    };
  }
}

function autoscalesOf(users: readonly Container[]): readonly AutoscaleMeter[] {
  const partitions = users.flatMap((container) => [...container.partitions.values()]);
  const purses = new Set(partitions.map(({ spending }) => spending.purse));
  return [...purses].flatMap(({ autoscale }) => autoscale ?? []);
}

function leftBy({ budget, autoscale }: Purse): Legacy {
  return { holding: budget.holding(), hours: autoscale?.hours() };
}

function partOf({ holding, hours }: Legacy, share: number): Legacy {
  return {
    holding: holding && partOfHolding(holding, share),
    hours: hours && partOfHours(hours, share),
  };
}

function together(all: readonly Legacy[]): Legacy {
  const held = all.flatMap(({ holding }) => holding ?? []);
  return {
    holding: held.length === 0 ? undefined : mergedHolding(held),
    hours: addedHours(all.map(({ hours }) => hours ?? [])),
  };
}

/** What `count` purses inherit from others, both dividing the keys evenly among themselves. */
function redivided(before: readonly Legacy[], count: number): readonly Legacy[] {
  return Array.from({ length: count }, (_, index) =>
    together(
      before.flatMap((left, former) => {
        // Keys in units of which each of the former had `count`.
        const min = Math.max(former * count, index * before.length);
        const max = Math.min((former + 1) * count, (index + 1) * before.length);
        return min < max ? partOf(left, (max - min) / count) : [];
      }),
    ),
  );
}

/** Where the physical partitions of a container lie in the key space, as fractions of it. */
function spansOf({
  definition: { partitionKey },
  map,
}: Container): readonly { readonly from: number; readonly to: number }[] {
  return map.entries.map(({ range }) => ({
    from: positionOf(partitionKey, range.min),
    to: positionOf(partitionKey, range.max),
  }));
}
