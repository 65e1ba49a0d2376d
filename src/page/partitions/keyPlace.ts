/**
 * Where keys lie on the line from 0 to 1 that the key space is drawn as, and how keys and physical
 * partitions are named.
 *
 * Hashes of the second version are below 40…, and evenly spread. Those of the first version have no
 * such scale: there every physical partition is drawn alike, and a key lies in the middle of its
 * own.
 */
import type { LogicalReport, PartitionReport } from "../../statistics/report.ts";

/** Twelve digits of a hash are 48 bits, of which the first two are never set. */
const DIGIT_COUNT = 12;
const PLACE_COUNT = 2 ** 46;

function placeOfHash(epk: string): number {
  if (epk >= "40") return 1;
  const digits = epk.slice(0, DIGIT_COUNT).padEnd(DIGIT_COUNT, "0");
  return Number.parseInt(digits, 16) / PLACE_COUNT;
}

type Bounded = Pick<PartitionReport, "id" | "min" | "max">;

export interface KeyLine {
  /** True when lengths on the line are shares of all possible keys. */
  readonly isEven: boolean;
  /** From 0 to 1. */
  place(epk: string): number;
}

/** `partitions` are all there are, in key order. */
export function keyLineOf(partitions: readonly Bounded[]): KeyLine {
  const bounds = partitions.slice(1).map(({ min }) => min);
  const isEven = bounds.length === 0 || !bounds.every((bound) => bound.startsWith("05"));
  if (isEven) return { isEven, place: placeOfHash };
  return {
    isEven,
    place: (epk) => {
      const index = partitions.findIndex(({ max }) => epk < max);
      if (index < 0) return 1;
      return (index + (epk === partitions[index]!.min ? 0 : 0.5)) / partitions.length;
    },
  };
}

/** A place as part of all keys, such as `37.5 %`. */
export function placeText(place: number): string {
  return `${(100 * place).toFixed(1).replace(".0", "")} %`;
}

/** A key as people type it: one text in quotation marks, several as a list. */
export function keyText({
  partitionKey,
  epk,
}: Pick<LogicalReport, "partitionKey" | "epk">): string {
  if (partitionKey === undefined) return `EPK ${epk.slice(0, 8)}…`;
  const parts = partitionKey.map((part) => JSON.stringify(part));
  return parts.length === 1 ? parts[0]! : `[${parts.join(", ")}]`;
}

/** The index of the physical partition that has an EPK. */
export function ownerIndexOf(partitions: readonly Bounded[], epk: string): number {
  const index = partitions.findIndex(({ max }) => epk < max);
  return index < 0 ? partitions.length - 1 : index;
}
