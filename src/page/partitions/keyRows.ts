/**
 * The rows of the top keys: each with its share of its physical partition and of the limit. "Top"
 * is a rank; a row is called hot or nearly full only when a limit is near.
 */
import type { ContainerReport, LogicalReport } from "../../statistics/report.ts";
import type { TagTone } from "../parts/tag.tsx";
import { keyText } from "./keyPlace.ts";
import { isNearItsRate, loadShareOf, MOST, NEAR } from "./splitVerdict.ts";

export interface TopKeyRow {
  readonly key: LogicalReport;
  readonly name: string;
  /** Of the most that one logical partition may hold. */
  readonly limitShare: number;
  /** Of the RU of the whole container in the last five minutes; absent if nobody followed it. */
  readonly wholeShare?: number | undefined;
  /** Of the RU, or else the bytes, of its physical partition. */
  readonly loadShare?: number | undefined;
  readonly sizeShare?: number | undefined;
  readonly tone?: TagTone | undefined;
  readonly word?: string | undefined;
}

export function keyRows(
  { partitions, limits, figures }: ContainerReport,
  keys: readonly LogicalReport[],
): readonly TopKeyRow[] {
  const owners = new Map(partitions.map((partition) => [partition.id, partition]));
  return keys.map((key): TopKeyRow => {
    const owner = owners.get(key.partitionId);
    const limitShare = key.itemBytes / limits.logicalPartitionBytesMax;
    const loadShare = owner === undefined ? undefined : loadShareOf(key, owner);
    const isHot = owner !== undefined && isNearItsRate(owner) && (loadShare ?? 0) >= MOST;
    return {
      key,
      name: keyText(key),
      limitShare,
      wholeShare: key.ru === undefined || figures.ru === 0 ? undefined : key.ru / figures.ru,
      loadShare,
      sizeShare:
        owner === undefined || owner.itemBytes === 0 ? undefined : key.itemBytes / owner.itemBytes,
      ...stateOf(limitShare, isHot),
    };
  });
}

function stateOf(limitShare: number, isHot: boolean): Pick<TopKeyRow, "tone" | "word"> {
  if (limitShare >= 1) return { tone: "bad", word: "full" };
  if (isHot) return { tone: "bad", word: "hot" };
  if (limitShare >= NEAR) return { tone: "warn", word: "nearly full" };
  return {};
}
