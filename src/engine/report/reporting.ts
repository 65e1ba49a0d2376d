/**
 * What there is to know about a container, for whoever runs it: put together from its meters, the
 * tallies of the store, its throughput and the jobs on it.
 */
import type { Clock, Timer } from "../../base/world.ts";
import type { Limits } from "../../model/limits.ts";
import type { RateSetting } from "../../model/throughput.ts";
import { rateMaxOf } from "../../model/throughput.ts";
import type { Epk } from "../../partition/epkRange.ts";
import type { LogicalFacts } from "../../statistics/containerReport.ts";
import { containerReport, heaviestKeys } from "../../statistics/containerReport.ts";
import type { ContainerReport, ThroughputReport } from "../../statistics/report.ts";
import type { PartitionStore, StoredItem } from "../../store/partitionStore.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Copying } from "../copy/copying.ts";
import type { Lifecycles } from "../lifecycle/lifecycles.ts";
import type { Container } from "../partition/container.ts";
import type { Reshaping } from "../reshape/reshaping.ts";
import type { Views } from "../views/views.ts";
import { glimpsedItems, sampledItems } from "./itemSampling.ts";
import type { ShownKey } from "./keyNames.ts";
import { KeyNames } from "./keyNames.ts";
import type { LogicalPartitionSize, Sizes } from "./sizeSurvey.ts";
import { LARGEST_COUNT, SizeSurvey } from "./sizeSurvey.ts";

interface ReportingSetting {
  readonly store: PartitionStore;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly limits: Limits;
  readonly rates?: RateSetting | undefined;
  readonly catalog: Catalog;
  readonly reshaping: Pick<Reshaping, "jobsOf">;
  readonly copying: Pick<Copying, "reportsOf">;
  readonly views: Pick<Views, "reportOf">;
  readonly lifecycles: Pick<Lifecycles, "reportOf">;
}

interface ReportOptions {
  readonly topCount?: number | undefined;
  /** Only logical partitions with this share of all bytes or of all load get their keys. */
  readonly nameShareMin?: number | undefined;
}

/** How many logical partitions a report names, each by its size and by its load. */
const TOP_COUNT = 10;

/** How many logical partitions of each physical one are named where a client asks for them. */
const NAMED_COUNT = 3;

/** What clients can ask about a physical partition beside its range. */
interface RangeStatistics {
  readonly id: string;
  readonly itemCount: number;
  readonly itemBytes: number;
  readonly logicalPartitionCount: number;
  /** Logical partitions, the largest first. */
  readonly largest: readonly { readonly key: ShownKey; readonly itemBytes: number }[];
}

export class Reporting {
  readonly #setting: ReportingSetting;
  readonly #survey: SizeSurvey;
  readonly #names: KeyNames;

  constructor(setting: ReportingSetting) {
    this.#setting = setting;
    this.#survey = new SizeSurvey(setting);
    this.#names = new KeyNames(setting.store);
  }

  /** Pages of live items, about as many as are wanted, spread evenly over the container. */
  sample(container: Container, countMax: number): AsyncIterable<readonly StoredItem[]> {
    return sampledItems(this.#setting, container, countMax);
  }

  /** A few items from all over the container; it costs no more than they do. */
  glimpse(container: Container, countMax: number): Promise<readonly StoredItem[]> {
    return glimpsedItems(this.#setting, container, countMax);
  }

  /** `undefined` if load is not counted, or if the container was deleted meanwhile. */
  async report(
    container: Container,
    { topCount = TOP_COUNT, nameShareMin = 0 }: ReportOptions = {},
  ): Promise<ContainerReport | undefined> {
    const { clock, limits, reshaping, copying, views, lifecycles } = this.#setting;
    const { meter } = container;
    if (meter === undefined) return undefined;
    const sizes = await this.#survey.sizesOf(container);
    const count = Math.min(topCount, LARGEST_COUNT);
    const largest = sizes.largest.slice(0, count);
    const heavy = heaviestKeys(meter, count, clock.now());
    const heaviest = await Promise.all(heavy.map(({ epk }) => this.locate(container, epk)));
    const bytesMin = nameShareMin * bytesOf(container);
    const followedRu = heavy.reduce((sum, { ru }) => sum + ru, 0);
    const ruMin = nameShareMin * Math.max(followedRu, meter.load(clock.now()).ru);
    const names = await this.#names.namesOf(container, [
      ...largest.filter(({ itemBytes }) => itemBytes >= bytesMin).map(({ epk }) => epk),
      ...heavy.filter(({ ru }) => ru >= ruMin).map(({ epk }) => epk),
    ]);
    const named = (size: LogicalPartitionSize): LogicalFacts => ({
      ...size,
      partitionKey: names.get(size.epk),
    });
    if (container.isDeleted) return undefined;
    return containerReport({
      database: container.databaseId,
      container: container.definition.id,
      rid: container.rid,
      at: clock.wallNow(),
      now: clock.now(),
      partitionKeyPaths: container.definition.partitionKey.paths,
      throughput: this.#throughputOf(container),
      limits: {
        logicalPartitionBytesMax: limits.logicalPartitionBytesMax,
        physicalPartitionBytesMax: limits.physicalPartitionBytesMax,
        partitionRateMax: limits.partitionRateMax,
      },
      jobs: reshaping.jobsOf(container),
      copies: copying.reportsOf(container),
      view: views.reportOf(container),
      lifecycle: lifecycles.reportOf(container),
      meter,
      partitions: [...container.partitions.values()].map(({ entry, lsn, head, spending }) => ({
        entry,
        lsn,
        itemCount: head.itemCount,
        itemBytes: head.itemBytes,
        logicalPartitionCount: sizes.countOf.get(entry.id) ?? 0,
        allottedRate: spending.purse.ratePerSecond,
        meter: spending.meter!,
      })),
      topBySize: largest.map(named),
      topByLoad: heaviest.map(named),
      giniOfBytes: sizes.gini,
    });
  }

  /** In the order of the ranges; sizes of logical partitions are those of the last survey. */
  async statisticsOf(container: Container): Promise<readonly RangeStatistics[]> {
    const sizes = await this.#survey.sizesOf(container);
    const { entries } = container.map;
    const largestOf = (id: string): readonly LogicalPartitionSize[] =>
      sizes.largest.filter(({ partitionId }) => partitionId === id).slice(0, NAMED_COUNT);
    const named = entries.flatMap(({ id }) => largestOf(id).map(({ epk }) => epk));
    const names = await this.#names.namesOf(container, named);
    return entries.map(({ id }) => ({
      id,
      itemCount: container.partitions.get(id)?.head.itemCount ?? 0,
      itemBytes: container.partitions.get(id)?.head.itemBytes ?? 0,
      logicalPartitionCount: sizes.countOf.get(id) ?? 0,
      largest: largestOf(id).flatMap(({ epk, itemBytes }) => {
        const key = names.get(epk);
        return key === undefined ? [] : [{ key, itemBytes }];
      }),
    }));
  }

  /** The sizes of its logical partitions, as they were in the last survey. */
  sizesOf(container: Container): Promise<Sizes> {
    return this.#survey.sizesOf(container);
  }

  /** Where the logical partition with this EPK is and how large, whether or not it has items. */
  async locate(container: Container, epk: Epk): Promise<LogicalPartitionSize> {
    const { entry } = container.ownerOf(epk);
    const { itemCount, itemBytes } = await this.#setting.store.tally(entry.part, epk);
    return { epk, partitionId: entry.id, itemCount, itemBytes };
  }

  #throughputOf(container: Container): ThroughputReport {
    const { catalog, limits, rates } = this.#setting;
    const isLimited = rates?.isLimited ?? false;
    const database = catalog.databaseOf(container);
    const own = container.record.throughput;
    const throughput = own ?? database.record.throughput;
    if (throughput === undefined || rates?.isServerless) {
      const ratePerSecond = limits.serverlessPartitionRateMax * container.partitions.size;
      return { kind: "serverless", isShared: false, ratePerSecond, isLimited };
    }
    const { kind, pending } = throughput;
    const users = own === undefined ? database.sharing : [container];
    return {
      kind,
      isShared: own === undefined,
      ratePerSecond: rateMaxOf(throughput),
      rateNow: catalog.allotting.rateNow(users),
      pendingRate: pending && rateMaxOf(pending),
      isLimited,
    };
  }
}

function bytesOf({ partitions }: Container): number {
  let bytes = 0;
  for (const { head } of partitions.values()) bytes += head.itemBytes;
  return bytes;
}
