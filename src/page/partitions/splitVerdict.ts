/**
 * Whether a split helps a physical partition, in words. A split moves whole logical partitions: it
 * helps when several keys share the load or the bytes, and never when one key has most of them.
 *
 * "Most" is half; that is guidance of this page and no limit of the platform. Loads of single keys
 * are estimates, so the amount by which one may be too high is taken off before it is blamed.
 */
import { bytesText } from "../../base/wording.ts";
import type {
  ContainerReport,
  LimitsReport,
  LogicalReport,
  PartitionReport,
} from "../../statistics/report.ts";
import { shareText } from "../parts/numbers.ts";
import { keyText } from "./keyPlace.ts";

/** From this share on, one key is called the cause. */
export const MOST = 0.5;
/** From this share of a limit on, the limit is near. */
export const NEAR = 0.8;
/** From this percentage of the allotment on, in the busiest second, a partition is full. */
const FULL_PERCENT = 90;

/** Ranked logical partitions, of the whole container or of one physical partition. */
export interface TopKeys {
  readonly bySize: readonly LogicalReport[];
  readonly byLoad: readonly LogicalReport[];
}

export interface SplitVerdict {
  /** `notNeeded`: no limit is near. `unknown`: nobody knows which keys have the load. */
  readonly kind: "helps" | "useless" | "notNeeded" | "unknown";
  /** What is short: the rate or the room. */
  readonly of: "load" | "bytes";
  /** The key with the most of it, and which share of the partition's it has. */
  readonly key?: LogicalReport | undefined;
  readonly keyShare?: number | undefined;
  /** One or two sentences. */
  readonly says: string;
}

export function splitVerdict(
  partition: PartitionReport,
  keys: TopKeys,
  limits: LimitsReport,
): SplitVerdict {
  const isShortOfRate = isNearItsRate(partition);
  const isShortOfRoom = partition.itemBytes >= NEAR * limits.physicalPartitionBytesMax;
  const of = isShortOfRoom && !isShortOfRate ? "bytes" : "load";
  const heaviest = heaviestOf(partition, keys, of);
  if (!isShortOfRate && !isShortOfRoom) return notNeeded(partition, keys);
  const what = of === "load" ? "load" : "bytes";
  if (heaviest === undefined) {
    return {
      kind: "unknown",
      of,
      says:
        `Which keys have the ${what} of partition ${partition.id} is not known, so nobody ` +
        "can say whether a split helps.",
    };
  }
  const { key, share } = heaviest;
  const name = keyText(key);
  if (partition.logicalPartitionCount <= 1) {
    return {
      kind: "useless",
      of,
      key,
      keyShare: share,
      says:
        `A split will not help: partition ${partition.id} has one key only, ${name}, and a split ` +
        "moves whole keys.",
    };
  }
  if (share >= MOST) {
    return {
      kind: "useless",
      of,
      key,
      keyShare: share,
      says:
        `A split will not help: one key, ${name}, is ${shareText(share)} of the ${what} of ` +
        `partition ${partition.id}, and a split moves whole keys.`,
    };
  }
  return {
    kind: "helps",
    of,
    key,
    keyShare: share,
    says:
      `A split will help: the ${what} of partition ${partition.id} comes from several keys; the ` +
      `heaviest, ${name}, is ${shareText(share)} of it.`,
  };
}

function notNeeded(partition: PartitionReport, keys: TopKeys): SplitVerdict {
  const heaviest = heaviestOf(partition, keys, "load") ?? heaviestOf(partition, keys, "bytes");
  return {
    kind: "notNeeded",
    of: "load",
    key: heaviest?.key,
    keyShare: heaviest?.share,
    says: `A split is not needed: partition ${partition.id} is near no limit.`,
  };
}

export function isNearItsRate({ lastFiveMinutes }: PartitionReport): boolean {
  return lastFiveMinutes.throttledCount > 0 || lastFiveMinutes.normalizedPercent >= FULL_PERCENT;
}

interface Heaviest {
  readonly key: LogicalReport;
  /** Of what the physical partition has. */
  readonly share: number;
}

/** The key with most of the load or bytes of a physical partition; `undefined` if none is known. */
export function heaviestOf(
  partition: PartitionReport,
  keys: TopKeys,
  of: "load" | "bytes",
): Heaviest | undefined {
  const listed = of === "load" ? keys.byLoad : keys.bySize;
  const own = listed.filter(({ partitionId }) => partitionId === partition.id);
  const shares = own.map((key) => ({
    key,
    share: (of === "load" ? loadShareOf(key, partition) : sizeShareOf(key, partition)) ?? 0,
  }));
  const [first, ...others] = shares;
  if (first === undefined) return undefined;
  const most = others.reduce((best, each) => (each.share > best.share ? each : best), first);
  return most.share > 0 ? most : undefined;
}

/**
 * The least share that a key surely has of its partition's load; absent where nobody followed the
 * key or nothing was spent.
 */
export function loadShareOf(
  { ru, errorRu = 0 }: LogicalReport,
  { lastFiveMinutes }: PartitionReport,
): number | undefined {
  if (ru === undefined || lastFiveMinutes.ru === 0) return undefined;
  return Math.min(1, Math.max(0, ru - errorRu) / lastFiveMinutes.ru);
}

function sizeShareOf(key: LogicalReport, { itemBytes }: PartitionReport): number | undefined {
  return itemBytes === 0 ? undefined : key.itemBytes / itemBytes;
}

/** What helps instead of a split, best first. */
export function remediesFor(verdict: SplitVerdict, report: ContainerReport): readonly string[] {
  if (verdict.kind !== "useless" || verdict.key === undefined) return [];
  const paths = report.partitionKeyPaths.join(", ");
  const name = keyText(verdict.key);
  const { partitionRateMax, logicalPartitionBytesMax } = report.limits;
  const another = `Another partition key than ${paths}: one by which ${name} is many keys.`;
  const suffix =
    "A suffix on this key's value, such as -0 to -9. " +
    `Who reads all of ${name} then asks ten keys.`;
  if (verdict.of === "bytes") {
    return [
      another,
      suffix,
      "Fewer bytes: a time to live, or smaller items. " +
        `One key can hold ${bytesText(logicalPartitionBytesMax)} at most.`,
    ];
  }
  const owner = report.partitions.find(({ id }) => id === verdict.key!.partitionId);
  const isAtMost = owner !== undefined && owner.allottedRate >= partitionRateMax;
  return [
    another,
    suffix,
    isAtMost
      ? `Not a higher rate: partition ${owner.id} is allotted the most that one can serve.`
      : "A higher rate helps a little, and is paid for on every partition.",
  ];
}

/** What a physical partition spent over what it was allotted, in percent, as an average. */
export function averagePercentOf({ allottedRate, lastFiveMinutes }: PartitionReport): number {
  const allotted = allottedRate * lastFiveMinutes.seconds;
  return allotted === 0 ? 0 : (100 * lastFiveMinutes.ru) / allotted;
}
